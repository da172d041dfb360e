import type { RenewContext } from '../index.js'
import type { Attributes } from './attributes.js'
import { checkGroup, checkSink } from './checks.js'
import { metricDefinitions } from './definitions.js'
import type { CounterName, HistogramName } from './definitions.js'
import { Groups } from './groups.js'
import type { GroupOf } from './groups.js'
import { OpenOperations } from './open-operations.js'
import type { GaugeReading } from './open-operations.js'
import { subscribeTo } from './subscribe-to.js'

/** Where measurements go. What it throws is an uncaught exception of the process, as in any subscriber of a channel. */
export interface MetricSink {
  /** A value of a histogram. */
  record(name: HistogramName, value: number, attributes: Attributes): void
  /** A counter grew by this, or begins at 0. */
  count(name: CounterName, by: number, attributes: Attributes): void
}

/** A measurement that is under way. */
export interface Measuring {
  /** The gauges as they are now. Of what was held or awaited before the measurement began nothing is known. */
  read(): readonly GaugeReading[]
  /** Measures nothing from now on. */
  stop(): void
}

/**
 * Measures all clients of this process from now on, by their diagnostics channels.
 *
 * @param groupOf - the group of a lock; without it no series says which locks it is about
 */
export function measure(sink: MetricSink, groupOf?: GroupOf): Measuring {
  checkSink(sink)
  checkGroup(groupOf)
  const groups = new Groups(groupOf, (group) => beginAtZero(sink, { group }))
  beginAtZero(sink)
  const open = new OpenOperations()
  const renewals = new WeakMap<RenewContext, number>()
  const stop = subscribeTo({
    'acquire:start': (context) => open.began(context, groups.of(context.name)),
    'acquire:asyncEnd': (context) => {
      open.ended(context)
      const { name, outcome = 'error', contended, waitedMs = 0 } = context
      const attributes = { outcome, contended: String(contended), ...groups.of(name) }
      sink.record('holdfast.acquire.duration', waitedMs / 1000, attributes)
    },
    'hold:start': (context) => open.held(context, groups.of(context.name)),
    'hold:asyncEnd': (context) => {
      open.left(context)
      const { name, end = 'released', heldMs = 0 } = context
      sink.record('holdfast.hold.duration', heldMs / 1000, { end, ...groups.of(name) })
    },
    'renew:start': (context) => renewals.set(context, performance.now()),
    'renew:asyncEnd': (context) => {
      const { outcome = 'failed', holds = [] } = context
      const sentAt = renewals.get(context)
      if (sentAt !== undefined) {
        sink.record('holdfast.renew.duration', (performance.now() - sentAt) / 1000, { outcome })
      }
      for (const { name, margin } of holds) {
        if (margin !== undefined) sink.record('holdfast.lease.margin', margin, groups.of(name))
      }
    },
    granted: ({ name, handOffMs }) => {
      if (handOffMs !== undefined) sink.record('holdfast.handoff.duration', handOffMs / 1000, groups.of(name))
    },
    lost: ({ name, error: { reason } }) => {
      // What its options set is no loss: `holdfast.hold.duration` counts it by its end.
      if (reason !== 'ended') sink.count('holdfast.losses', 1, { reason, ...groups.of(name) })
    },
    warning: ({ code }) => sink.count('holdfast.warnings', 1, { code }),
    error: ({ error: { code } }) => sink.count('holdfast.errors', 1, { code }),
  })
  return { read: () => open.read(), stop }
}

/** @param group - whose series begin; without it those of all locks */
function beginAtZero(sink: MetricSink, group?: { readonly group: string }): void {
  for (const { instrument, name, hasGroup, initial = [] } of metricDefinitions) {
    if (instrument !== 'counter' || (group && !hasGroup)) continue
    for (const attributes of initial) sink.count(name, 0, { ...attributes, ...group })
  }
}
