import type { OperatorSession } from '../engine/operator.js'
import type { ClientInfo } from '../engine/replies.js'
import type { Target } from '../engine/requests.js'
import type { Registry } from '../engine/session.js'
import type { Background } from '../util/background.js'
import { monotonicMs } from '../util/clock.js'
import { pagesOf, textOf } from './messages.js'
import type { ClientReport, HoldReport, LossLog, Question, WaitReport } from './messages.js'
import { Allowance, oldestOf, SharedPace } from './pace.js'
import type { Pace } from './pace.js'
import type { WaitMeter } from './wait-meter.js'

/** A hold, as far as reports show it. */
export interface ReportedHold {
  readonly owner: string
  readonly target: Target
  readonly count: number
  readonly fencingToken: number
  /** When it was granted. */
  readonly heldSince: number
  remainingMs(): number
}

/** A waiter, as far as reports show it. */
export interface ReportedWaiter {
  readonly owner: string
  readonly target: Target
  /** When its call began. */
  readonly waitsSince: number
  /** As far as its client knows. */
  readonly obstacle: { readonly holder: string; readonly position: number; readonly at: number } | undefined
}

/** What a reporter needs of its client. */
export interface ReporterDeps {
  readonly clientId: string
  readonly client: ClientInfo
  readonly operator: OperatorSession | undefined
  readonly registry: Pick<Registry, 'register'>
  /** How often a client registers. */
  readonly registerEveryMs: number
  readonly holds: {
    /** In no order. */
    readonly unordered: readonly ReportedHold[]
    readonly size: number
    readonly counts: ClientReport['counts']
  }
  readonly waiters: { readonly allWaiting: readonly ReportedWaiter[]; readonly waiting: number }
  readonly meter: Pick<WaitMeter, 'read' | 'end'>
  readonly losses: Pick<LossLog, 'read'>
  /** Runs what no call awaits. */
  readonly background: Pick<Background, 'run'>
}

/**
 * Reports what this client holds and waits for to those who ask.
 *
 * Whoever may publish can ask, and have the report sent to any client. So all that a client does for questions is bounded, in time of its
 * event loop and in bytes. What that leaves no room for is reported late or not at all: those who ask see that the report is missing.
 */
export class Reporter {
  readonly #deps: ReporterDeps
  readonly #questions = new Questions()
  readonly #workMs = new Allowance(bounds.mostWorkMs, bounds.workMsPerSecond)
  readonly #bytes = new Allowance(bounds.mostBytes, bounds.bytesPerSecond)
  /** Rests under way, and what ends them. */
  readonly #rests = new Map<NodeJS.Timeout, () => void>()
  #underWay = 0
  #timer: NodeJS.Timeout | undefined
  #registeredAt = -Infinity
  #isClosed = false

  constructor(deps: ReporterDeps) {
    this.#deps = deps
  }

  /** Sends a report to the client that asked, if there is time for it. */
  answer(question: Question): void {
    if (this.#isClosed) return
    const spreadMs = Math.max(0, Math.min(question.spreadMs, longestSpreadMs))
    this.#questions.add(question, Math.random() * spreadMs)
    this.#begin()
  }

  /** @param limit - how many holds and how many waits to list */
  async report({ limit, name }: Pick<Question, 'limit' | 'name'>, pace: Pace): Promise<ClientReport> {
    const { clientId, client, holds, waiters, meter, losses } = this.#deps
    const most = Math.min(limit, mostListed)
    const is = ({ target }: { readonly target: Target }): boolean =>
      name === undefined || target.address.name === name
    const held = await oldestOf<ReportedHold>(
      holds.unordered,
      { most, is, since: (hold) => hold.heldSince },
      pace,
    )
    const waiting = await oldestOf<ReportedWaiter>(
      waiters.allWaiting,
      { most, is, since: (waiter) => waiter.waitsSince },
      pace,
    )
    // Figures are about all objects, and reading them would begin to count: questions about one object do without.
    const { buckets, handOffs } = name === undefined ? meter.read() : { buckets: [], handOffs: 0 }
    const now = monotonicMs()
    const { acquired, released, lost } = holds.counts
    return {
      clientId,
      client,
      holdCount: holds.size,
      waiterCount: waiters.waiting,
      counts: { acquired, released, lost },
      waits: { count: buckets.reduce((sum, each) => sum + each, 0), buckets },
      handOffs,
      losses: losses.read().filter((loss) => name === undefined || loss.name === name),
      holds: held.map((hold) => describeHold(hold, now)),
      queue: waiting.map((waiter) => describeWait(waiter, now)),
    }
  }

  /** Questions that arrive later are ignored: they would start timers. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#questions.clear()
    for (const [timer, end] of this.#rests) {
      clearTimeout(timer)
      end()
    }
    this.#rests.clear()
    this.#deps.meter.end()
  }

  /** Answers what is due, a few at a time. */
  #begin(): void {
    clearTimeout(this.#timer)
    while (!this.#isClosed && this.#underWay < mostUnderWay) {
      const question = this.#questions.next()
      if (!question) {
        this.#beginLater()
        return
      }
      this.#underWay += 1
      const answering = this.#answer(question)
      const end = (): void => {
        this.#underWay -= 1
        this.#questions.answered(question.from)
        this.#begin()
      }
      // In the background only if it fails: close() waits for what is there, and this may rest for long.
      answering.then(end, () => {
        this.#deps.background.run(answering)
        end()
      })
    }
  }

  #beginLater(): void {
    const { waitMs } = this.#questions
    if (waitMs === undefined) return
    this.#timer = setTimeout(() => this.#begin(), Math.ceil(Math.max(waitMs, 0)))
    this.#timer.unref()
  }

  /**
   * Clients register while they hold or wait. One whose holds are short rarely has one at the moment when it would, and would not be
   * listed, and so not be asked, again.
   */
  async #stayListed(): Promise<void> {
    const { holds, waiters, registry, registerEveryMs } = this.#deps
    const now = monotonicMs()
    if (holds.size > 0 || waiters.waiting > 0 || now - this.#registeredAt < registerEveryMs) return
    this.#registeredAt = now
    // As for a page that cannot be sent.
    await registry.register().catch(() => undefined)
  }

  /** A page that cannot be sent is none of this client's errors: the client that asked sees that the report is missing. */
  async #answer(question: Question): Promise<void> {
    const pace = new SharedPace(this.#workMs, (ms) => this.#rest(ms))
    await pace.begin()
    if (this.#isClosed) return
    this.#deps.background.run(this.#stayListed())
    const pages = await pagesOf(question.id, await this.report(question, pace), pace)
    pace.pause()
    let failures = 0
    for (const content of pages) {
      for (let ms = this.#bytes.waitMs; ms > 0; ms = this.#bytes.waitMs) if (!(await this.#rest(ms))) return
      await pace.begin()
      if (this.#isOver()) return
      const sending = this.#send(question.from, textOf({ kind: 'report', content }))
      pace.pause()
      try {
        if (!(await sending)) return
        failures = 0
      } catch {
        // A page whose reply was lost may have arrived, and the report is whole if the others do.
        failures += 1
        if (failures === mostFailures) return
      }
    }
  }

  /** It may be by the end of any rest. */
  #isOver(): boolean {
    return this.#isClosed
  }

  /** Whether the text may have arrived. */
  async #send(to: string, text: string): Promise<boolean> {
    // A short text costs as much as one of some length.
    const bytes = Math.max(leastBytes, Buffer.byteLength(text))
    this.#bytes.spend(bytes)
    this.#questions.spent(to, bytes)
    const telling = this.#deps.operator?.send([to], text)
    // For close() to wait for.
    if (telling) this.#deps.background.run(telling.catch(() => undefined))
    const [isReached] = (await telling) ?? []
    return isReached !== false
  }

  /** Resolves after that time with true, or with false as soon as this is closed. */
  #rest(ms: number): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false)
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#rests.delete(timer)
        resolve(true)
      }, ms)
      timer.unref()
      this.#rests.set(timer, () => resolve(false))
    })
  }
}

/**
 * What all questions together may cost. Work is what the event loop does for them, 5 % of its time: so much at once is less than a
 * renewal notices.
 */
const bounds = { mostWorkMs: 50, workMsPerSecond: 50, mostBytes: 1_200_000, bytesPerSecond: 512_000 }
const leastBytes = 2_000
/** Each has one page in flight. More than one, so that a short report need not wait for a long one. */
const mostUnderWay = 4
const longestSpreadMs = 60_000
const mostListed = 10_000
/** In a row: by then it is an outage, during which a long report would wait for one time-out after another. */
const mostFailures = 2

const describeHold = (hold: ReportedHold, now: number): HoldReport => ({
  ...describeOwner(hold),
  holdCount: hold.count,
  fencingToken: hold.fencingToken,
  heldMs: Math.round(now - hold.heldSince),
  remainingMs: hold.remainingMs(),
})

const describeWait = (waiter: ReportedWaiter, now: number): WaitReport => ({
  ...describeOwner(waiter),
  waitedMs: Math.round(now - waiter.waitsSince),
  position: waiter.obstacle?.position ?? 0,
  holder: waiter.obstacle?.holder ?? '',
  stateAgeMs: waiter.obstacle ? Math.round(now - waiter.obstacle.at) : null,
})

function describeOwner({ owner, target }: ReportedHold | ReportedWaiter) {
  const { address, kind } = target
  // The store counts the sides of a read/write lock in permits, too; nobody gives it a number of them.
  const { permits, size = null } = kind === 'semaphore' ? target : { permits: 1 }
  return { name: address.name, kind, owner, permits, size }
}

/** One that waits for its answer. */
interface Waiting {
  readonly question: Question
  /** When it is to be answered. */
  readonly dueAt: number
}

interface Asker {
  /** What its answers may weigh: an asker that wants more than its share does not take that of others. */
  readonly bytes: Allowance
  /** One of its questions is being answered. */
  isAnswered: boolean
  waiting: number
}

/** A page with as many locks as one can watch asks about each of them at the same time. */
const mostOfOne = 100
const mostInAll = 200
/** An asker is remembered until its share is whole again; of strangers that call themselves something else each time, so many. */
const mostAskers = 1_000
/** Whoever asked does not wait for so long, or does not miss much. */
const keptMs = 10_000
/** Twice the largest report of a client with 3,000 holds; then about one report of 200 holds and 200 waits per second. */
const share = { mostBytes: 1_200_000, bytesPerSecond: 128_000 }

/**
 * Questions of other clients that are still to be answered. Whoever may publish can ask, any number of questions, under any
 * name. So they are few, an asker gets one answer at a time, and those for which there is no room are dropped.
 */
class Questions {
  #waiting: Waiting[] = []
  readonly #askers = new Map<string, Asker>()

  /** How long until {@link next} may have one, milliseconds; `undefined`: none waits, or only for what {@link answered} ends. */
  get waitMs(): number | undefined {
    const now = monotonicMs()
    let least: number | undefined
    for (const { question, dueAt } of this.#waiting) {
      const asker = this.#askers.get(question.from)
      if (!asker || asker.isAnswered) continue
      const waitMs = Math.max(dueAt - now, asker.bytes.waitMs)
      if (least === undefined || waitMs < least) least = waitMs
    }
    return least
  }

  add(question: Question, delayMs: number): void {
    const { id, from } = question
    const isFull = this.#waiting.length >= mostInAll || (this.#askers.get(from)?.waiting ?? 0) >= mostOfOne
    if (isFull || this.#waiting.some((other) => other.question.id === id)) return
    this.#askerOf(from).waiting += 1
    this.#waiting.push({ question, dueAt: monotonicMs() + delayMs })
  }

  /** The question to be answered now. It is under way until {@link answered}. */
  next(): Question | undefined {
    const now = monotonicMs()
    this.#forget(now - keptMs)
    const index = this.#waiting.findIndex(({ question: { from }, dueAt }) => {
      const asker = this.#askers.get(from)
      return dueAt <= now && asker && !asker.isAnswered && asker.bytes.waitMs === 0
    })
    const [found] = index < 0 ? [] : this.#waiting.splice(index, 1)
    if (!found) return undefined
    const asker = this.#askerOf(found.question.from)
    asker.waiting -= 1
    asker.isAnswered = true
    return found.question
  }

  /** A part of the answer to this asker was sent. */
  spent(from: string, bytes: number): void {
    this.#askers.get(from)?.bytes.spend(bytes)
  }

  /** The answer to this asker has ended. */
  answered(from: string): void {
    const asker = this.#askers.get(from)
    if (asker) asker.isAnswered = false
  }

  clear(): void {
    this.#waiting = []
    this.#askers.clear()
  }

  #askerOf(from: string): Asker {
    const known = this.#askers.get(from)
    if (known) return known
    if (this.#askers.size >= mostAskers) this.#forgetAskers()
    const bytes = new Allowance(share.mostBytes, share.bytesPerSecond)
    const asker: Asker = { bytes, isAnswered: false, waiting: 0 }
    this.#askers.set(from, asker)
    return asker
  }

  /** Drops what has been due since before that instant. */
  #forget(before: number): void {
    const late = this.#waiting.filter(({ dueAt }) => dueAt < before)
    if (late.length === 0) return
    this.#waiting = this.#waiting.filter(({ dueAt }) => dueAt >= before)
    for (const { question } of late) this.#askerOf(question.from).waiting -= 1
  }

  /** Those whose share is whole again; if all of them ask a lot, those that asked first. */
  #forgetAskers(): void {
    const idle = [...this.#askers].filter(([, { isAnswered, waiting }]) => !isAnswered && waiting === 0)
    const whole = idle.filter(([, { bytes }]) => bytes.isFull)
    for (const [from] of whole.length > 0 ? whole : idle.slice(0, mostAskers / 2)) this.#askers.delete(from)
  }
}
