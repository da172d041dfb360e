import type { ClientInfo } from '../engine/replies.js'
import type { EngineSession } from '../engine/session.js'
import type { Target } from '../ownership/target.js'
import { monotonicMs } from '../util/clock.js'
import type { LossLog } from './loss-log.js'
import { pagesOf, textOf } from './messages.js'
import type { Question } from './messages.js'
import type { ClientReport, HoldReport, WaitReport } from './report.js'
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
  /** As of the store's last reply. */
  readonly obstacle: { readonly holder: string; readonly position: number } | undefined
}

/** What a reporter needs of its client. */
export interface ReporterDeps {
  readonly clientId: string
  readonly client: ClientInfo
  readonly session: Pick<EngineSession, 'operator' | 'register'>
  /** How often a client registers. */
  readonly registerEveryMs: number
  readonly holds: {
    readonly all: readonly ReportedHold[]
    readonly size: number
    readonly counts: ClientReport['counts']
  }
  readonly waiters: { readonly allWaiting: readonly ReportedWaiter[]; readonly waiting: number }
  readonly meter: Pick<WaitMeter, 'read' | 'end'>
  readonly losses: Pick<LossLog, 'read'>
  /** Runs what no call awaits. */
  background(work: Promise<unknown>): void
}

/** Reports what this client holds and waits for to those who ask. */
export class Reporter {
  readonly #deps: ReporterDeps
  /** By question. A client may ask about everything and about one object at the same time. */
  readonly #pending = new Map<string, NodeJS.Timeout>()
  #registeredAt = -Infinity
  #isClosed = false

  constructor(deps: ReporterDeps) {
    this.#deps = deps
  }

  /** Sends a report to the client that asked. */
  answer(question: Question): void {
    if (this.#isClosed) return
    const { id, spreadMs } = question
    if (spreadMs <= 0) {
      this.#send(question)
      return
    }
    if (this.#pending.has(id) || this.#pending.size >= mostPending) return
    const timer = setTimeout(
      () => {
        this.#pending.delete(id)
        this.#send(question)
      },
      Math.random() * Math.min(spreadMs, longestSpreadMs),
    )
    timer.unref()
    this.#pending.set(id, timer)
  }

  /** @param limit - how many holds and how many waits to list */
  report({ limit, name }: Pick<Question, 'limit' | 'name'>): ClientReport {
    const { clientId, client, holds, waiters, meter, losses } = this.#deps
    const isAsked = ({ target }: { readonly target: Target }): boolean =>
      name === undefined || target.address.name === name
    const listed = Math.min(limit, mostListed)
    const now = monotonicMs()
    const held = holds.all.filter(isAsked).sort((a, b) => a.heldSince - b.heldSince)
    const waiting = waiters.allWaiting.filter(isAsked).sort((a, b) => a.waitsSince - b.waitsSince)
    // Figures are about all objects, and reading them would begin to count: questions about one object do without.
    const { buckets, handOffs } = name === undefined ? meter.read() : { buckets: [], handOffs: 0 }
    return {
      clientId,
      client,
      holdCount: holds.size,
      waiterCount: waiters.waiting,
      counts: { ...holds.counts },
      waits: { count: buckets.reduce((sum, each) => sum + each, 0), buckets },
      handOffs,
      losses: losses.read().filter((loss) => name === undefined || loss.name === name),
      holds: held.slice(0, listed).map((hold) => describeHold(hold, now)),
      queue: waiting.slice(0, listed).map((waiter) => describeWait(waiter, now)),
    }
  }

  /** Questions that arrive later are ignored: they would start timers. */
  close(): void {
    this.#isClosed = true
    for (const timer of this.#pending.values()) clearTimeout(timer)
    this.#pending.clear()
    this.#deps.meter.end()
  }

  #send(question: Question): void {
    this.#deps.background(this.#sendPages(question))
    this.#deps.background(this.#stayListed())
  }

  /**
   * Clients register while they hold or wait. One whose holds are short rarely has one at the moment when it would, and would not be
   * listed, and so not be asked, again.
   */
  async #stayListed(): Promise<void> {
    const { holds, waiters, session, registerEveryMs } = this.#deps
    const now = monotonicMs()
    if (holds.size > 0 || waiters.waiting > 0 || now - this.#registeredAt < registerEveryMs) return
    this.#registeredAt = now
    // As for a page that cannot be sent.
    await session.register().catch(() => undefined)
  }

  /** A page that cannot be sent is none of this client's errors: the client that asked sees that the report is missing. */
  async #sendPages(question: Question): Promise<void> {
    const { session } = this.#deps
    let failures = 0
    for (const content of pagesOf(question.id, this.report(question))) {
      try {
        const [isReached] =
          (await session.operator?.tell([question.from], textOf({ kind: 'report', content }))) ?? []
        if (isReached === false) return
        failures = 0
      } catch {
        // A page whose reply was lost may have arrived, and the report is whole if the others do.
        failures += 1
        if (failures === mostFailures) return
      }
    }
  }
}

const longestSpreadMs = 60_000
/** More than operators ask at the same time. */
const mostPending = 100
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
})

function describeOwner({ owner, target }: Pick<ReportedHold, 'owner' | 'target'>) {
  const { address, kind, permits, size } = target
  return { name: address.name, kind, owner, permits, size: size ?? null }
}
