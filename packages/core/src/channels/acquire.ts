import type { HoldfastErrorCode } from '../errors/errors.js'
import { HoldfastError } from '../errors/errors.js'
import type { Request } from '../options/options.js'
import { monotonicMs } from '../util/clock.js'
import { operations } from './channels.js'
import type { AcquireContext, AcquireOutcome } from './contexts.js'
import { trace } from './trace.js'

/** What is acquired, by whom, and how the call may end. */
export interface TracedAcquisition {
  readonly subject: Pick<AcquireContext, 'clientId' | 'engine' | 'name' | 'kind' | 'owner'>
  readonly request: Pick<Request, 'waitMs' | 'signal' | 'isStandby'>
  /** When the caller wanted it. */
  readonly wantedSince: number
  /** Whether another owner was in the way so far. */
  isContended(): boolean
}

/** Publishes an acquisition. Ask {@link isObserved} first. */
export function traceAcquire<T>(acquisition: TracedAcquisition, run: () => Promise<T>): Promise<T> {
  const { subject, request, wantedSince } = acquisition
  const context: AcquireContext = {
    ...subject,
    standby: request.isStandby ?? false,
    get contended() {
      return acquisition.isContended()
    },
  }
  const over = (outcome: AcquireOutcome): void => {
    context.outcome = outcome
    context.waitedMs = monotonicMs() - wantedSince
  }
  return trace(operations.acquire, context, run, {
    resolved: (result) => over(outcomeOf(result, request)),
    rejected: (error) => {
      context.error = error
      const { signal } = request
      over(signal?.aborted === true && error === signal.reason ? 'aborted' : outcomeOfError(error))
    },
  })
}

function outcomeOf(result: unknown, { waitMs }: Pick<Request, 'waitMs'>): AcquireOutcome {
  // What was acquired has no kind, or that of its object.
  const kind = typeof result === 'object' && result !== null && 'kind' in result ? result.kind : undefined
  if (kind === 'passed') return 'passed'
  if (kind !== 'not-acquired') return 'acquired'
  return waitMs === 0 ? 'busy' : 'timeout'
}

const outcomes: Partial<Record<HoldfastErrorCode, AcquireOutcome>> = {
  CLOSED: 'closed',
  UNAVAILABLE: 'unavailable',
  REFUSED: 'refused',
  REPLICATION: 'replication',
  TOO_MANY_WAITERS: 'too-many-waiters',
  LATCH_GONE: 'gone',
  LOCK_LOST: 'lost',
}

const outcomeOfError = (error: unknown): AcquireOutcome =>
  (error instanceof HoldfastError ? outcomes[error.code] : undefined) ?? 'error'
