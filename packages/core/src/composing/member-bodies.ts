import type { CallSite } from '../ownership/call-site.js'
import type { Possession } from '../ownership/possession.js'
import type { Body } from '../ownership/turns.js'
import type { Request } from '../options/options.js'
import type { NotAcquired } from '../waiting/outcome.js'
import { endBody, joinTurns, untilTurn } from '../waiting/turn.js'
import type { HeldMember, Member, MemberLease } from './member.js'

interface MemberBody<L extends MemberLease> {
  readonly member: Member<L>
  readonly hold: Possession<L>
  readonly body: Body
}

/**
 * One callback as a body in the hold of each member.
 *
 * It joins all of them at once, so that two that want the same holds never wait for each other, each in another one.
 */
export class MemberBodies<L extends MemberLease> {
  readonly #bodies: MemberBody<L>[] = []
  readonly #call: CallSite

  /** @param call - where it was called */
  constructor(call: CallSite) {
    this.#call = call
  }

  /** Throws `UpgradeError` if two readers would wait for each other to write. */
  join(member: Member<L>, hold: Possession<L>): void {
    if (this.#bodies.some((other) => other.hold === hold)) return
    this.#bodies.push({
      member,
      hold,
      body: joinTurns(member.client.frames, hold, member.target, this.#call),
    })
  }

  get mustWait(): boolean {
    return this.#bodies.some(({ body }) => body.ready !== undefined)
  }

  /**
   * Waits for its turn in all of them.
   *
   * @returns why it did not come
   */
  async untilTurn(request: Request, startedAt: number): Promise<NotAcquired | undefined> {
    for (const { member, hold, body } of this.#bodies) {
      const late = await untilTurn(body, hold, member.target, request, startedAt)
      if (late) return late
    }
    return undefined
  }

  /** Takes those that were entered, with the bodies of holds that were made for the whole, and gives back the others. */
  settle(held: readonly HeldMember<L>[]): void {
    for (const [i, { hold, body }] of [...this.#bodies.entries()].reverse()) {
      if (held.some((other) => other.hold === hold)) continue
      body.end()
      this.#bodies.splice(i, 1)
    }
    for (const { member, hold } of held) this.join(member, hold)
  }

  /** Runs the callback inside all the holds. */
  async run<T>(fn: () => T | PromiseLike<T>): Promise<T> {
    const inside = this.#bodies.reduce<() => T | PromiseLike<T>>(
      (inner, { member, hold, body }) =>
        () =>
          member.client.frames.runInBody(hold, body, inner),
      fn,
    )
    return await inside()
  }

  /** Its caller no longer waits. */
  giveUp(): void {
    for (const { body } of this.#bodies) body.end()
  }

  /** The callback has ended. */
  end(): void {
    for (const { member, hold, body } of this.#bodies) {
      endBody(body, hold, member.target, member.client.events)
    }
  }
}
