import type { Attributes } from './attributes.js'

/** Metrics whose values are distributions. */
export type HistogramName =
  | 'holdfast.acquire.duration'
  | 'holdfast.hold.duration'
  | 'holdfast.renew.duration'
  | 'holdfast.lease.margin'
  | 'holdfast.handoff.duration'

/** Metrics that only grow. */
export type CounterName = 'holdfast.losses' | 'holdfast.warnings' | 'holdfast.errors'

/** Metrics that are read when they are collected. */
export type GaugeName = 'holdfast.hold.count' | 'holdfast.waiter.count' | 'holdfast.waiter.age.max'

/** All of them. */
export type MetricName = HistogramName | CounterName | GaugeName

/** What all definitions have. */
export interface Definition<N extends MetricName, I extends string> {
  readonly name: N
  /** `sum`: those of all processes may be added up; `gauge`: they may not. */
  readonly instrument: I
  /** As OpenTelemetry writes units: `s`, `1`, or what is counted in braces. */
  readonly unit: string
  readonly description: string
  /** Besides `group`, where there is one. */
  readonly attributes: readonly string[]
  /** Whether it is about a lock, so that `group` applies. */
  readonly hasGroup: boolean
  /** The upper bounds of a histogram's buckets. */
  readonly buckets: readonly number[]
  /** Attributes of series that exist from the beginning, with 0: a counter that begins with 1 does not seem to have grown. */
  readonly initial?: readonly Attributes[]
}

/** One metric, as telemetry libraries need to know it. */
export type MetricDefinition =
  | Definition<HistogramName, 'histogram'>
  | Definition<CounterName, 'counter'>
  | Definition<GaugeName, 'sum' | 'gauge'>

/** Seconds: waits and holds last from less than a millisecond to minutes. */
const durations = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** Fine where it matters: a healthy margin is about 0.65, one below 0.4 says that renewals are late. */
const shares = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9, 1]

/** Everything that is measured. */
export const metricDefinitions: readonly MetricDefinition[] = [
  {
    name: 'holdfast.acquire.duration',
    instrument: 'histogram',
    unit: 's',
    description: 'How long callers waited, from the call to its outcome',
    attributes: ['outcome', 'contended'],
    hasGroup: true,
    buckets: durations,
  },
  {
    name: 'holdfast.hold.duration',
    instrument: 'histogram',
    unit: 's',
    description:
      'How long holds lasted, from the grant until they were released, ended by leaseMs or maxHoldMs, or were lost',
    attributes: ['end'],
    hasGroup: true,
    buckets: durations,
  },
  {
    name: 'holdfast.hold.count',
    instrument: 'sum',
    unit: '{hold}',
    description: 'Holds that live now',
    attributes: [],
    hasGroup: true,
    buckets: [],
  },
  {
    name: 'holdfast.waiter.count',
    instrument: 'sum',
    unit: '{waiter}',
    description: 'Callers that wait now because another owner is in the way',
    attributes: [],
    hasGroup: true,
    buckets: [],
  },
  {
    name: 'holdfast.waiter.age.max',
    instrument: 'gauge',
    unit: 's',
    description:
      'How long the longest-waiting caller has been waiting, without those that wait by `waitMs: Infinity`; 0 if none waits',
    attributes: [],
    hasGroup: true,
    buckets: [],
  },
  {
    name: 'holdfast.losses',
    instrument: 'counter',
    unit: '{loss}',
    description:
      'Holds that ended, or may have ended, without being released, and not by leaseMs or maxHoldMs',
    attributes: ['reason'],
    hasGroup: true,
    buckets: [],
    initial: ['expired', 'not-held', 'revoked', 'member-lost', 'minority', 'closed'].map((reason) => ({
      reason,
    })),
  },
  {
    name: 'holdfast.renew.duration',
    instrument: 'histogram',
    unit: 's',
    description: 'How long the store took to confirm a renewal; one command renews up to 500 holds',
    attributes: ['outcome'],
    hasGroup: false,
    buckets: durations,
  },
  {
    name: 'holdfast.lease.margin',
    instrument: 'histogram',
    unit: '1',
    description:
      'The share of the lease that was left when a renewal was confirmed: about 0.65 when all is well',
    attributes: [],
    hasGroup: true,
    buckets: shares,
  },
  {
    name: 'holdfast.handoff.duration',
    instrument: 'histogram',
    unit: 's',
    description:
      'From the grant in the store until the waiter was notified; too long by at most one round trip',
    attributes: [],
    hasGroup: true,
    buckets: durations,
  },
  {
    name: 'holdfast.warnings',
    instrument: 'counter',
    unit: '{warning}',
    description: 'Warnings: something is degraded but still works',
    attributes: ['code'],
    hasGroup: false,
    buckets: [],
    initial: [
      'EVICTION_POLICY',
      'SERVER_UNKNOWN',
      'NOTICE_REFUSED',
      'SPLIT_CONNECTIONS',
      'RELEASE_UNCONFIRMED',
      'BODY_ENDED_FIRST',
      'SESSION_TIME',
    ].map((code) => ({ code })),
  },
  {
    name: 'holdfast.errors',
    instrument: 'counter',
    unit: '{error}',
    description: 'Errors that no call waits for: the store did not reply, or a background task failed',
    attributes: ['code'],
    hasGroup: false,
    buckets: [],
    initial: ['UNAVAILABLE', 'REFUSED', 'INVALID_ARGUMENT', 'NOT_A_LOCK', 'HOLDFAST'].map((code) => ({
      code,
    })),
  },
]

/** The name under which Prometheus gets a metric of {@link metricDefinitions}, as OpenTelemetry's own translation has it. */
export function prometheusNameOf({ name, unit, instrument }: MetricDefinition): string {
  const words = [name.replaceAll('.', '_')]
  if (unit === 's') words.push('seconds')
  if (instrument === 'counter') words.push('total')
  return words.join('_')
}
