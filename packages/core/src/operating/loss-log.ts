import type { LockEvent } from '../events/events.js'
import type { LockLostError } from '../errors/errors.js'
import { monotonicMs } from '../util/clock.js'
import type { LossReport } from './report.js'

/** So many are remembered. */
export const mostLosses = 20

/** The last losses of a client, without those that its options set. */
export class LossLog {
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
