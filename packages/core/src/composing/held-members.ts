import type { LockLostError } from '../errors/errors.js'
import type { Request } from '../options/options.js'
import { extendTogether } from './extending.js'
import { listenForLoss } from './member.js'
import type { HeldMember, Member, MemberClient, MemberLease } from './member.js'
import { MultiHold } from './multi-hold.js'

/**
 * The members that an attempt holds already.
 *
 * While others are waited for, none of these may end: the watchdog renews them if nothing else was wanted, otherwise they are
 * extended here. The lease and the limit that the caller wants begin when all are there.
 */
export class HeldMembers<L extends MemberLease> {
  /** The first member that was lost. */
  lost: HeldMember<L> | undefined
  readonly #members: readonly Member<L>[]
  readonly #request: Request
  readonly #onLost: (error: LockLostError) => void
  readonly #stopListening: (() => void)[] = []
  #held: HeldMember<L>[] = []
  /** Those whose leases have begun as the caller wants them. */
  readonly #complete = new Set<HeldMember<L>>()
  #interval: NodeJS.Timeout | undefined
  #isExtending = false

  /** @param members - all that the attempt wants */
  constructor(members: readonly Member<L>[], request: Request, onLost: (error: LockLostError) => void) {
    this.#members = members
    this.#request = request
    this.#onLost = onLost
  }

  /** The lease to request from the store. */
  leaseMs({ acquirer }: MemberClient<L>): number {
    const { settings } = acquirer.deps
    return Math.min(this.#request.leaseMs ?? settings.watchdogTimeoutMs, this.#request.maxHoldMs)
  }

  /** With which options a member is entered while others are still to come. */
  optionsFor(client: MemberClient<L>, waitMs: number): Request {
    const leaseMs = this.#isRenewed ? null : this.leaseMs(client)
    return { ...this.#request, waitMs, leaseMs, maxHoldMs: Infinity }
  }

  /** @param isComplete - its lease has begun with the options that the caller wants */
  add(held: HeldMember<L>, isComplete: boolean): void {
    this.#held.push(held)
    if (isComplete) this.#complete.add(held)
    else if (held.own && !this.#isRenewed) this.#keep()
    const stop = listenForLoss(held, (error) => {
      this.lost ??= held
      this.#onLost(error)
    })
    this.#stopListening.push(stop)
  }

  /** Has the store confirm all of them, and extends them to the full lease. */
  async prove(timeoutMs: number): Promise<void> {
    const entered = this.#request.leaseMs === null ? [] : this.#held.filter(({ own }) => !own)
    await Promise.all([
      extendTogether(this.#own, (client) => this.leaseMs(client), timeoutMs),
      ...entered.map(({ member, hold }) => hold.extend(this.leaseMs(member.client))),
    ])
  }

  /** Whether none was lost while nobody looked. A loss that is noticed here is also reported. */
  areHeld(): boolean {
    return this.#held.every(({ hold }) => hold.loss === undefined)
  }

  /** All members as one, in their order, with what the caller wants from now on. */
  handOut(): MultiHold<L> {
    this.#end()
    const byId = new Map(this.#held.map((held) => [held.member.target.address.id, held]))
    const inOrder = this.#members.flatMap(({ target }) => byId.get(target.address.id) ?? [])
    return new MultiHold(inOrder.map((held) => this.#completed(held)))
  }

  /** Releases all of them. Nobody waits for it. */
  giveBack(): void {
    this.#end()
    for (const { member, lease } of this.#held) member.client.background.run(lease.unlock())
    this.#held = []
  }

  get #isRenewed(): boolean {
    return this.#request.leaseMs === null && this.#request.maxHoldMs === Infinity
  }

  get #own() {
    return this.#held.flatMap(({ member: { client }, own }) => (own ? [{ client, hold: own }] : []))
  }

  #completed(held: HeldMember<L>): HeldMember<L> {
    const { own, lease } = held
    if (!own || this.#isRenewed || this.#complete.has(held)) return held
    return { ...held, lease: own.restart(lease, this.#request) }
  }

  #keptMs(client: MemberClient<L>): number {
    return Math.min(this.leaseMs(client), client.acquirer.deps.settings.watchdogTimeoutMs)
  }

  #keep(): void {
    const everyMs = Math.min(...this.#members.map(({ client }) => this.#keptMs(client))) / 3
    this.#interval ??= setInterval(() => {
      void this.#extend(everyMs)
    }, everyMs)
    // What is waited for keeps the process alive, not this timer.
    this.#interval.unref()
  }

  async #extend(timeoutMs: number): Promise<void> {
    if (this.#isExtending) return
    this.#isExtending = true
    try {
      await extendTogether(this.#own, (client) => this.#keptMs(client), timeoutMs)
    } catch (error) {
      // A loss is reported by the lease; anything else is tried again.
      this.#members[0]?.client.acquirer.deps.reports.error(error)
    } finally {
      this.#isExtending = false
    }
  }

  #end(): void {
    clearInterval(this.#interval)
    for (const stop of this.#stopListening) stop()
  }
}
