import type { ObjectKind } from '../ownership/target.js'
import { isObserved, operations } from './channels.js'
import type { ClientContext, RenewContext, RenewedHold } from './contexts.js'
import { trace } from './trace.js'

/** A hold that is renewed, as far as a message needs to know it. */
interface Renewed {
  readonly address: { readonly name: string }
  readonly kind: ObjectKind
  readonly owner: string
  /** The share of its lease that is left, from 0 to 1. */
  readonly leaseLeft: number
  /** `null`: it is not renewed periodically. */
  readonly renewEveryMs: number | null
}

/** Publishes one command that renews these holds. What `run` resolves with is about them, in the same order. */
export function traceRenew(
  client: ClientContext,
  holds: readonly Renewed[],
  run: () => Promise<readonly RenewedHold['outcome'][]>,
): Promise<readonly RenewedHold['outcome'][]> {
  if (!isObserved(operations.renew)) return run()
  const context: RenewContext = { ...client, count: holds.length }
  return trace(operations.renew, context, run, {
    // Before the holds take the replies, so that their old deadlines still stand.
    resolved: (outcomes) => {
      context.holds = holds.map((hold, i) => describe(hold, outcomes[i] ?? 'unknown'))
      context.outcome = outcomes.includes('lost') ? 'lost' : 'renewed'
    },
    rejected: (error) => {
      context.holds = holds.map((hold) => describe(hold, 'unknown'))
      context.outcome = 'failed'
      context.error = error
    },
  })
}

function describe(hold: Renewed, outcome: RenewedHold['outcome']): RenewedHold {
  const { address, kind, owner, leaseLeft, renewEveryMs } = hold
  const isTimely = outcome === 'renewed' && renewEveryMs !== null
  return { name: address.name, kind, owner, outcome, margin: isTimely ? leaseLeft : undefined }
}
