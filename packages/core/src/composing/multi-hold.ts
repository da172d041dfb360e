import { LockLostError } from '../errors/errors.js'
import { lossForCaller, reasonTogether } from '../holding/loss.js'
import { listenForLoss } from './member.js'
import type { HeldMember, MemberLease } from './member.js'
import { memberLost } from './wording.js'

/**
 * Several holds as one: held while all of them are.
 *
 * | State | true in it                                                     | leaves it on                    |
 * | ----- | -------------------------------------------------------------- | ------------------------------- |
 * | live  | no member is known to be lost                                  | a member lost → lost; leave →   |
 * |       |                                                                | left                            |
 * | lost  | what was acquired for the whole is lost too, and given back at | leave → left                    |
 * |       | the store; members that an enclosing call holds were left      |                                 |
 * | left  | over                                                           | -                               |
 */
export class MultiHold<L extends MemberLease> {
  readonly members: readonly HeldMember<L>[]
  #state: 'live' | 'lost' | 'left' = 'live'
  #loss: LockLostError | undefined
  #onLost: ((error: LockLostError) => void) | undefined
  readonly #stopListening: readonly (() => void)[]

  constructor(members: readonly HeldMember<L>[]) {
    this.members = members
    this.#stopListening = members.map((held) => listenForLoss(held, (error) => this.#lose(held, error)))
  }

  /** Calls back with the loss of the whole. */
  whenLost(callback: (error: LockLostError) => void): void {
    this.#onLost = callback
  }

  /** The loss, once there is one. Looking at the members past their deadlines is how it is learned after a stall. */
  get loss(): LockLostError | undefined {
    // What is noticed here is reported by the lease, and noted in `#lose`.
    if (this.#state === 'live') this.members.some(({ hold }) => hold.loss)
    return this.#loss
  }

  get isHeld(): boolean {
    return this.loss === undefined && this.#state === 'live' && this.members.every(({ hold }) => hold.isHeld)
  }

  /** Until the earliest deadline. */
  remainingMs(): number {
    return this.isHeld ? Math.min(...this.members.map(({ hold }) => hold.remainingMs())) : 0
  }

  /** Leaves all members at once. Rejects with `LockLostError` when the whole was lost before. */
  async leave(): Promise<void> {
    const { loss } = this
    this.#state = 'left'
    for (const stop of this.#stopListening) stop()
    const outcomes = await Promise.allSettled(this.members.map((held) => leaveMember(held)))
    if (loss) throw lossForCaller(loss)
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome] : []))
    const losses = failures.filter(({ reason }) => reason instanceof LockLostError)
    for (const { reason } of [...losses, ...failures]) throw reason
  }

  #lose(lost: HeldMember<L>, error: LockLostError): void {
    if (this.#state !== 'live') return
    this.#state = 'lost'
    this.#loss = memberLost(lost.member.target, lost.hold.owner, error)
    for (const { member, lease, own } of this.members) {
      if (own) own.lose(reasonTogether(error), error)
      else member.client.background.run(lease.unlock())
    }
    this.#onLost?.(this.#loss)
  }
}

async function leaveMember<L extends MemberLease>({ member, hold, lease }: HeldMember<L>): Promise<void> {
  try {
    await lease.unlock()
  } catch (error) {
    throw error instanceof LockLostError ? memberLost(member.target, hold.owner, error) : error
  }
}
