import type { LockLostError } from '../errors/errors.js'
import type { ObjectKind } from '../ownership/target.js'
import { monotonicMs } from '../util/clock.js'
import { isObserved, operations } from './channels.js'
import type { ClientContext, HoldContext, ReleaseContext } from './contexts.js'
import { publishEnd, trace } from './trace.js'

/** A hold, as far as messages need to know it. */
export interface TracedHold {
  readonly address: { readonly name: string }
  readonly kind: ObjectKind
  readonly owner: string
  readonly fencingToken: number
  readonly loss: LockLostError | undefined
}

type ReleaseOutcome = Exclude<NonNullable<ReleaseContext['outcome']>, 'failed'>

/** Publishes the holds of one client. */
export class HoldChannels {
  readonly #client: ClientContext
  /** Beside the holds, not in them: a hold that no one listened to costs no memory. */
  #contexts: WeakMap<TracedHold, { readonly context: HoldContext; readonly beganAt: number }> | undefined

  constructor(client: ClientContext) {
    this.#client = client
  }

  began(hold: TracedHold): void {
    if (!isObserved(operations.hold)) return
    const { start, end } = operations.hold
    const context: HoldContext = { ...this.#subjectOf(hold), fencingToken: hold.fencingToken }
    this.#contexts ??= new WeakMap()
    this.#contexts.set(hold, { context, beganAt: monotonicMs() })
    start.publish(context)
    end.publish(context)
  }

  ended(hold: TracedHold, end: NonNullable<HoldContext['end']>): void {
    const begun = this.#contexts?.get(hold)
    if (!begun) return
    const { context, beganAt } = begun
    context.heldMs = monotonicMs() - beganAt
    context.end = end
    if (hold.loss && end === 'lost') {
      context.reason = hold.loss.reason
      context.error = hold.loss
      operations.hold.error.publish(context)
    }
    publishEnd(operations.hold, context)
  }

  /** Whether anyone listens to releases. */
  get wantsReleases(): boolean {
    return isObserved(operations.release)
  }

  /** @param outcomeOf - what the reply says of the hold */
  release<T>(hold: TracedHold, send: () => Promise<T>, outcomeOf: (reply: T) => ReleaseOutcome): Promise<T> {
    if (!isObserved(operations.release)) return send()
    const context: ReleaseContext = this.#subjectOf(hold)
    return trace(operations.release, context, send, {
      resolved: (reply) => {
        context.outcome = outcomeOf(reply)
      },
      rejected: (error) => {
        context.outcome = 'failed'
        context.error = error
      },
    })
  }

  #subjectOf({ address: { name }, kind, owner }: TracedHold): Omit<ReleaseContext, 'outcome' | 'error'> {
    const { clientId, engine } = this.#client
    return { clientId, engine, name, kind, owner }
  }
}
