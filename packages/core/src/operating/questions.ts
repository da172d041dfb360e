import { monotonicMs } from '../util/clock.js'
import { Allowance } from './allowance.js'
import type { Question } from './messages.js'

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
export class Questions {
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
