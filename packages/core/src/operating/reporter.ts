import type { Target } from '../engine/requests.js'
import type { LockLostError } from '../errors/errors.js'
import type { Events, HoldfastEvents, LockEvent } from '../events/events.js'
import type { Hold } from '../holding/hold.js'
import type { StoreClient } from '../store-client.js'
import { monotonicMs } from '../time/time.js'
import type { Waiter } from '../waiting/waiter-table.js'
import {
  fitted,
  mostListed,
  textOf,
  type ClientReport,
  type HoldReport,
  type LossReport,
  type Question,
  type WaitReport,
} from './messages.js'

/**
 * Reports what this client holds and waits for to those who ask.
 *
 * Anyone who may publish can ask, and have the report sent to any client. So all that a client does for questions is bounded. What that
 * leaves no room for is reported late or not at all: those who ask see that the report is missing.
 */
export class Reporter {
  readonly #store: StoreClient
  readonly #meter: WaitMeter
  readonly #losses: LossLog
  readonly #budget = new Budget()
  /** Questions that are still to be answered, by id. */
  readonly #due = new Map<string, NodeJS.Timeout>()
  #registeredAt = -Infinity
  #isClosed = false

  constructor(store: StoreClient) {
    this.#store = store
    this.#meter = new WaitMeter(store.events)
    this.#losses = new LossLog()
    if (store.session.operator) store.events.on('lost', (loss) => this.#losses.add(loss))
  }

  /** Sends a report to the client that asked, if there is room for it. */
  answer(question: Question): void {
    if (this.#isClosed || this.#due.size >= mostDue || this.#due.has(question.id)) return
    const spreadMs = Math.max(0, Math.min(question.spreadMs, longestSpreadMs))
    this.#answerAfter(Math.random() * spreadMs, question, monotonicMs() + spreadMs + keptMs)
  }

  /** @param name - of the objects that it is to list; all without */
  report(name?: string): ClientReport {
    const { clientId, client, holds, waiters } = this.#store
    const is = ({ target }: Hold | Waiter): boolean => name === undefined || target.address.name === name
    // Figures are about all objects, and reading them would begin to count: questions about one object do without.
    const { buckets, handOffs } = name === undefined ? this.#meter.read() : { buckets: [], handOffs: 0 }
    const now = monotonicMs()
    const { acquired, released, lost } = holds.counts
    return fitted({
      clientId,
      client,
      holdCount: holds.size,
      waiterCount: waiters.waiting,
      counts: { acquired, released, lost },
      waits: { count: buckets.reduce((sum, each) => sum + each, 0), buckets },
      handOffs,
      losses: this.#losses.read().filter((loss) => name === undefined || loss.name === name),
      holds: oldestOf(holds.unordered, is, (hold) => hold.heldSince).map((hold) => describeHold(hold, now)),
      queue: oldestOf(waiters.allWaiting, is, (waiter) => waiter.waitsSince).map((waiter) =>
        describeWait(waiter, now),
      ),
    })
  }

  /** Questions that arrive later are ignored: they would start timers. */
  close(): void {
    this.#isClosed = true
    for (const timer of this.#due.values()) clearTimeout(timer)
    this.#due.clear()
    this.#meter.end()
  }

  /** @param until - the asker does not wait for longer, or does not miss much */
  #answerAfter(delayMs: number, question: Question, until: number): void {
    const waitMs = Math.max(delayMs, this.#budget.waitMs)
    if (waitMs === 0) {
      this.#send(question)
    } else if (monotonicMs() + waitMs <= until) {
      const timer = setTimeout(() => {
        this.#due.delete(question.id)
        this.#answerAfter(0, question, until)
      }, waitMs)
      timer.unref()
      this.#due.set(question.id, timer)
    }
  }

  #send({ id, from, name }: Question): void {
    const { background, session } = this.#store
    background.run(this.#stayListed())
    const since = monotonicMs()
    const text = textOf({ kind: 'report', content: { id, report: this.report(name) } })
    this.#budget.spend(monotonicMs() - since, Buffer.byteLength(text))
    // One that cannot be sent is none of this client's errors: the client that asked sees that the report is missing.
    const sent = session.operator?.send([from], text).catch(() => undefined)
    // For close() to wait for.
    if (sent) background.run(sent)
  }

  /**
   * Clients register while they hold or wait. One whose holds are short rarely has one at the moment when it would, and would not be
   * listed, and so not be asked, again.
   */
  async #stayListed(): Promise<void> {
    const { holds, waiters, session, renewEveryMs } = this.#store
    const now = monotonicMs()
    if (holds.size > 0 || waiters.waiting > 0 || now - this.#registeredAt < renewEveryMs) return
    this.#registeredAt = now
    // As for a report that cannot be sent.
    await session.registry.register().catch(() => undefined)
  }
}

/** As many as a page with that many locks asks about at the same time, twice. */
const mostDue = 200
const longestSpreadMs = 60_000
const keptMs = 10_000

/**
 * What all questions together may cost: time of the event loop, 5 % of it in the long run, and at once less than a renewal notices. A
 * report is sent for as much as it takes to have 512 kB per second at most.
 */
class Budget {
  #leftMs = mostMs
  #at = monotonicMs()

  /** How long until there is something to spend, milliseconds; 0: now. */
  get waitMs(): number {
    this.#refill()
    return this.#leftMs > 0 ? 0 : Math.ceil(-this.#leftMs / msPerMs) + 1
  }

  /** The last expense may overdraw it. */
  spend(workMs: number, bytes: number): void {
    this.#refill()
    // A short text costs as much as one of some length.
    this.#leftMs -= workMs + Math.max(leastBytes, bytes) / bytesPerMs
  }

  #refill(): void {
    const now = monotonicMs()
    this.#leftMs = Math.min(mostMs, this.#leftMs + (now - this.#at) * msPerMs)
    this.#at = now
  }
}

const mostMs = 50
const msPerMs = 0.05
const leastBytes = 2_000
const bytesPerMs = 10_240

/** The oldest first, without sorting them all. */
function oldestOf<T>(all: readonly T[], is: (item: T) => boolean, since: (item: T) => number): T[] {
  let kept: T[] = []
  let youngest = Infinity
  const trim = (): void => {
    kept = kept.sort((a, b) => since(a) - since(b)).slice(0, mostListed)
  }
  for (const item of all) {
    if (!is(item) || since(item) > youngest) continue
    kept.push(item)
    if (kept.length < 2 * mostListed) continue
    trim()
    const last = kept.at(-1)
    if (last !== undefined) youngest = since(last)
  }
  trim()
  return kept
}

const describeHold = (hold: Hold, now: number): HoldReport => ({
  ...describeOwner(hold),
  holdCount: hold.count,
  fencingToken: hold.fencingToken,
  heldMs: Math.round(now - hold.heldSince),
  remainingMs: hold.remainingMs(),
})

const describeWait = (waiter: Waiter, now: number): WaitReport => ({
  ...describeOwner(waiter),
  waitedMs: Math.round(now - waiter.waitsSince),
  position: waiter.obstacle?.position ?? 0,
  holder: waiter.obstacle?.holder ?? '',
  stateAgeMs: waiter.obstacle ? Math.round(now - waiter.obstacle.at) : null,
})

function describeOwner({ owner, target }: { readonly owner: string; readonly target: Target }) {
  const { address, kind } = target
  // The store counts the sides of a read/write lock in permits, too; nobody gives it a number of them.
  const { permits, size = null } = kind === 'semaphore' ? target : { permits: 1 }
  return { name: address.name, kind, owner, permits, size }
}

/** So many are remembered. */
const mostLosses = 20

/** The last losses of a client, without those that its options set. */
class LossLog {
  readonly #losses: (Omit<LossReport, 'agoMs'> & { readonly at: number })[] = []

  add({ name, kind, owner, error }: LockEvent & { readonly error: LockLostError }): void {
    if (error.reason === 'ended') return
    this.#losses.unshift({ name, kind, owner, reason: error.reason, at: monotonicMs() })
    this.#losses.length = Math.min(this.#losses.length, mostLosses)
  }

  /** Newest first. */
  read(): LossReport[] {
    const now = monotonicMs()
    return this.#losses.map(({ at, ...loss }) => ({ ...loss, agoMs: Math.round(now - at) }))
  }
}

/** The bounds by which reports count waits, milliseconds. */
export const waitBucketsMs: readonly number[] = [
  1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000,
]

/** A client that was not asked for so long stops counting. */
const restMs = 60_000

/** Counts waits and hand-offs of a client for as long as reports are asked for: nobody else pays for it. */
class WaitMeter {
  readonly #events: Events
  #buckets: number[] = []
  #handOffs = 0
  #readAt = -Infinity
  #rest: NodeJS.Timeout | undefined

  constructor(events: Events) {
    this.#events = events
  }

  /** What was counted so far. Begins to count when it does not yet. */
  read(): { readonly buckets: readonly number[]; readonly handOffs: number } {
    this.#readAt = monotonicMs()
    if (!this.#rest) this.#begin()
    return { buckets: [...this.#buckets], handOffs: this.#handOffs }
  }

  end(): void {
    clearTimeout(this.#rest)
    this.#rest = undefined
    this.#events.off('acquired', this.#onAcquired)
    this.#events.off('granted', this.#onGranted)
  }

  #begin(): void {
    this.#buckets = new Array<number>(waitBucketsMs.length + 1).fill(0)
    this.#handOffs = 0
    this.#events.on('acquired', this.#onAcquired)
    this.#events.on('granted', this.#onGranted)
    this.#restAfter(restMs)
  }

  #restAfter(ms: number): void {
    this.#rest = setTimeout(() => {
      const leftMs = this.#readAt + restMs - monotonicMs()
      if (leftMs > 0) this.#restAfter(leftMs)
      else this.end()
    }, ms)
    this.#rest.unref()
  }

  readonly #onAcquired = ({ holdCount, waitedMs }: HoldfastEvents['acquired'][0]): void => {
    if (holdCount > 1) return
    const found = waitBucketsMs.findIndex((bound) => waitedMs <= bound)
    const bucket = found < 0 ? waitBucketsMs.length : found
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1
  }

  readonly #onGranted = (): void => {
    this.#handOffs++
  }
}
