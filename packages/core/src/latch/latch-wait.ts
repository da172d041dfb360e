import { splitIntoBatches } from '@holdfast/watchdog'
import { isAwaited } from '../engine/latch.js'
import type { Awaited, LatchSession, LatchWaitReply } from '../engine/latch.js'
import type { Address, Target } from '../engine/requests.js'
import { notALock } from '../errors/store-errors.js'
import type { Request } from '../options/options.js'
import type { StoreClient } from '../store-client.js'
import { momentNow } from '../util/clock.js'
import type { Moment } from '../util/clock.js'
import { latchGone, notAcquired } from '../waiting/outcome.js'
import type { NotAcquired, Passed } from '../waiting/outcome.js'
import { StoreWait } from '../waiting/wait.js'
import type { Obstacle, Waiter } from '../waiting/waiter-table.js'

/** What the last reply said: which opening it waits for, and whether this client is notified of it. */
interface Closed {
  readonly awaited: Awaited
  readonly heardAt: Moment
  readonly isNotified: boolean
}

/** One wait for a latch, under an owner that only this client knows. It leaves nothing behind that would hold anyone up. */
export class LatchWait extends StoreWait<Passed | NotAcquired> {
  readonly #latches: LatchSession
  #closed: Closed | undefined

  constructor(store: StoreClient, latches: LatchSession, target: Target, request: Request) {
    super(store, store.owners.nextNumber(), target, request)
    this.#latches = latches
  }

  get awaited(): Awaited | undefined {
    return this.#closed?.awaited
  }

  get obstacle(): Obstacle | undefined {
    if (!this.#closed) return undefined
    const { heardAt, isNotified } = this.#closed
    return { holder: '', position: isNotified ? 1 : 0, at: heardAt.monotonicMs }
  }

  /** Another opening than the awaited one proves nothing, but a later one says that something was missed. */
  opened(generation: number): void {
    const { awaited } = this
    if (awaited && isAwaited(awaited, generation)) this.#pass(generation)
    else if (!awaited || generation > awaited.generation) this.wake()
  }

  /** No one evicts it. */
  revoked(): void {
    this.wake()
  }

  protected get hasEntry(): boolean {
    return this.#closed?.isNotified === true
  }

  protected get inVain(): NotAcquired {
    return notAcquired(this, this.obstacle, this.waitedMs, undefined)
  }

  protected send(timeoutMs: number): void {
    // All waiters of a client are notified together, so each asks for that for as long as the client lets any of them live.
    const aliveMs = this.store.settings.watchdogTimeoutMs
    const sentAt = momentNow()
    const isNotified = this.takePlace()
    // In the list from now on: an opening may be known here before the reply is.
    if (isNotified) this.store.waiters.wait(this, false)
    const wait = { address: this.address, awaited: this.awaited, aliveMs: isNotified ? aliveMs : 0 }
    this.take(this.#latches.wait([wait], timeoutMs), ([reply]) =>
      this.#onReply(reply ?? { kind: 'gone' }, sentAt, isNotified),
    )
  }

  protected readObstacle(): void {
    // No one is in the way.
  }

  protected abandon(): void {
    // The store forgets it by itself.
  }

  #onReply(reply: LatchWaitReply, heardAt: Moment, isNotified: boolean): void {
    switch (reply.kind) {
      case 'closed':
        this.#closed = { awaited: reply.awaited, heardAt, isNotified }
        this.enter('waiting')
        // It opens at no time that is known now: only a notification, or a refresh, ends the wait.
        if (this.options.waitMs === 0) this.end(this.inVain)
        else this.wait(Infinity, false, undefined, reply.againMs)
        return
      case 'passed':
        // Others here that wait for the same opening need not ask.
        if (this.#closed) this.store.waiters.opened(this.address.id, reply.generation)
        this.#pass(reply.generation)
        return
      case 'gone':
        this.fail(latchGone(this))
        return
      case 'not-a-lock':
        this.fail(notALock(this.address, reply))
    }
  }

  #pass(generation: number): void {
    this.succeed(() => ({ kind: 'passed', generation }))
  }
}

const maxBatch = 500

/** One opening, and all waiters of this client for it. */
interface Opening {
  readonly address: Address
  readonly awaited: Awaited | undefined
  readonly waiters: Waiter[]
}

/** Has the store go on notifying this client: once for each opening, however many wait for it here. */
export async function refreshLatches(
  store: StoreClient,
  latches: LatchSession,
  waiting: readonly Waiter[],
): Promise<void> {
  const batches = [...splitIntoBatches(openingsOf(waiting), ({ address }) => address.group, maxBatch)]
  await Promise.all(batches.map((batch) => refreshBatch(store, latches, batch)))
}

async function refreshBatch(
  { settings, waiters: table }: StoreClient,
  latches: LatchSession,
  batch: readonly Opening[],
): Promise<void> {
  const { watchdogTimeoutMs: aliveMs, commandTimeoutMs: timeoutMs } = settings
  const waits = batch.map(({ address, awaited }) => ({ address, awaited, aliveMs }))
  const replies = await latches.wait(waits, timeoutMs)
  batch.forEach(({ address, waiters }, i) => {
    const reply = replies[i]
    if (reply?.kind === 'closed') {
      table.noteTtl(address, Infinity)
      return
    }
    if (reply?.kind === 'passed') table.opened(address.id, reply.generation)
    // Those that are still waiting learn by themselves why.
    for (const waiter of waiters) waiter.wake()
  })
}

function openingsOf(waiting: readonly Waiter[]): Opening[] {
  const openings = new Map<string, Opening>()
  for (const waiter of waiting) {
    const { address, awaited } = waiter
    const key = `${String(awaited?.generation)} ${String(awaited?.isBound)} ${address.id}`
    const opening = openings.get(key) ?? { address, awaited, waiters: [] }
    opening.waiters.push(waiter)
    openings.set(key, opening)
  }
  return [...openings.values()]
}
