import type { LockSteps } from '../engine/lock-steps.js'
import { LockLostError } from '../errors/errors.js'
import type { Extension, Hold } from '../holding/hold.js'
import { lossForCaller, reasonTogether } from '../holding/loss.js'
import type { Request } from '../options/options.js'
import type { StoreClient } from '../store-client.js'
import { listenForLoss, memberLost, type HeldMember, type Member } from './member.js'

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
export class MultiHold {
  readonly members: readonly HeldMember[]
  #state: 'live' | 'lost' | 'left' = 'live'
  #loss: LockLostError | undefined
  #onLost: ((error: LockLostError) => void) | undefined
  readonly #stopListening: readonly (() => void)[]

  constructor(members: readonly HeldMember[]) {
    this.members = members
    this.#stopListening = members.map((held) => listenForLoss(held, (error) => this.#lose(held, error)))
  }

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

  #lose(lost: HeldMember, error: LockLostError): void {
    if (this.#state !== 'live') return
    this.#state = 'lost'
    this.#loss = memberLost(lost.member.target, lost.hold.owner, error)
    for (const { member, entry, own } of this.members) {
      if (own) own.lose(reasonTogether(error), error)
      else member.client.background.run(entry.unlock())
    }
    this.#onLost?.(this.#loss)
  }
}

async function leaveMember({ member, hold, entry }: HeldMember): Promise<void> {
  try {
    await entry.unlock()
  } catch (error) {
    throw error instanceof LockLostError ? memberLost(member.target, hold.owner, error) : error
  }
}

/**
 * The members that an attempt holds already.
 *
 * While others are waited for, none of these may end: the watchdog renews them if nothing else was wanted, otherwise they are
 * extended here. The lease and the limit that the caller wants begin when all are there.
 */
export class HeldMembers {
  lost: HeldMember | undefined
  readonly #members: readonly Member[]
  readonly #request: Request
  readonly #onLost: (error: LockLostError) => void
  readonly #stopListening: (() => void)[] = []
  #held: HeldMember[] = []
  /** Those whose leases have begun as the caller wants them. */
  readonly #complete = new Set<HeldMember>()
  #interval: NodeJS.Timeout | undefined
  #isExtending = false

  /** @param members - all that the attempt wants */
  constructor(members: readonly Member[], request: Request, onLost: (error: LockLostError) => void) {
    this.#members = members
    this.#request = request
    this.#onLost = onLost
  }

  leaseMs({ settings }: StoreClient): number {
    return Math.min(this.#request.leaseMs ?? settings.watchdogTimeoutMs, this.#request.maxHoldMs)
  }

  /** With which options a member is entered while others are still to come. */
  optionsFor(client: StoreClient, waitMs: number): Request {
    const leaseMs = this.#isRenewed ? null : this.leaseMs(client)
    return { ...this.#request, waitMs, leaseMs, maxHoldMs: Infinity }
  }

  /** @param isComplete - its lease has begun with the options that the caller wants */
  add(held: HeldMember, isComplete: boolean): void {
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
  handOut(): MultiHold {
    this.#end()
    const byId = new Map(this.#held.map((held) => [held.member.target.address.id, held]))
    const inOrder = this.#members.flatMap(({ target }) => byId.get(target.address.id) ?? [])
    return new MultiHold(inOrder.map((held) => this.#completed(held)))
  }

  /** Releases all of them. Nobody waits for it. */
  giveBack(): void {
    this.#end()
    for (const { member, entry } of this.#held) member.client.background.run(entry.unlock())
    this.#held = []
  }

  get #isRenewed(): boolean {
    return this.#request.leaseMs === null && this.#request.maxHoldMs === Infinity
  }

  get #own() {
    return this.#held.flatMap(({ member: { client }, own }) => (own ? [{ client, hold: own }] : []))
  }

  #completed(held: HeldMember): HeldMember {
    const { own, entry } = held
    if (!own || this.#isRenewed || this.#complete.has(held)) return held
    return { ...held, entry: own.restart(entry, this.#request) }
  }

  #keptMs(client: StoreClient): number {
    return Math.min(this.leaseMs(client), client.settings.watchdogTimeoutMs)
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
      this.#members[0]?.client.reports.error(error)
    } finally {
      this.#isExtending = false
    }
  }

  #end(): void {
    clearInterval(this.#interval)
    for (const stop of this.#stopListening) stop()
  }
}

interface Extendable {
  extension(wantedMs: number): Pick<Extension, 'renewal' | 'settle'>
}

/** A hold that was made for the whole, and the client that keeps it. */
export interface OwnHold {
  readonly client: StoreClient
  readonly hold: Hold
}

/**
 * Proves that the holds live and extends them, with one command for each group of each client.
 *
 * @param wantedMs - to at least how long
 * @throws `LockLostError` when one of them is lost, `UnavailableError` when no reply came
 */
async function extendTogether(
  holds: readonly OwnHold[],
  wantedMs: (client: StoreClient) => number,
  timeoutMs: number,
): Promise<void> {
  const groups = new Map<StoreClient, Map<string, Hold[]>>()
  for (const { client, hold } of holds) {
    const ofClient = groups.get(client) ?? new Map<string, Hold[]>()
    groups.set(client, ofClient)
    ofClient.set(hold.group, [...(ofClient.get(hold.group) ?? []), hold])
  }
  const calls = [...groups].flatMap(([client, ofClient]) =>
    [...ofClient.values()].map((group) => {
      const { steps, settings } = client
      const limitMs = Math.max(1, Math.ceil(Math.min(timeoutMs, settings.commandTimeoutMs)))
      return extendGroup(steps, group, wantedMs(client), limitMs)
    }),
  )
  await Promise.all(calls)
}

/** The same for holds of one group. What came of one of them changes nothing for the others. */
export async function extendGroup(
  steps: Pick<LockSteps, 'renew'>,
  holds: readonly Extendable[],
  wantedMs: number,
  limitMs: number,
): Promise<void> {
  const extensions = holds.map((hold) => hold.extension(wantedMs))
  const replies = await steps.renew(
    extensions.map(({ renewal }) => renewal),
    limitMs,
  )
  const errors = extensions.flatMap((extension, i) => {
    try {
      extension.settle(replies[i])
      return []
    } catch (error) {
      return [error]
    }
  })
  // A loss weighs more than a reply that did not come.
  if (errors.length > 0) throw errors.find((error) => error instanceof LockLostError) ?? errors[0]
}
