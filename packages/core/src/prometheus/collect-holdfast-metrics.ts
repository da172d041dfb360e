import { InvalidArgumentError, checkOptions, kindOf } from '../engine/index.js'
import { Counter, Gauge, Histogram, register as defaultRegister } from 'prom-client'
import type { Registry } from 'prom-client'
import { checkGroup } from '../metrics/checks.js'
import { metricDefinitions, prometheusNameOf } from '../metrics/definitions.js'
import type { MetricDefinition } from '../metrics/definitions.js'
import type { GroupOf } from '../metrics/groups.js'
import { measure } from '../metrics/measure.js'

/** What is registered, and where. */
export interface HoldfastMetricsOptions {
  /**
   * Where the metrics are registered.
   *
   * @defaultValue the default registry of prom-client
   */
  readonly register?: Registry
  /**
   * Puts a lock into a group by its name: the label `group` of the metrics about it. At most 50 groups; further ones become
   * `_other`. Without it no metric says which locks it is about.
   */
  readonly group?: GroupOf
}

/**
 * Registers metrics of all Holdfast clients in the process, as `collectDefaultMetrics` does those of Node.js. What was held or
 * awaited before is in no gauge.
 *
 * @returns stops measuring and removes the metrics from the registry
 * @throws `InvalidArgumentError` for bad options, and if the registry has these metrics already
 */
export function collectHoldfastMetrics(options: HoldfastMetricsOptions = {}): () => void {
  if (isRegistry(options)) {
    throw new InvalidArgumentError(
      'options must be an object, got a Registry; write collectHoldfastMetrics({ register })',
    )
  }
  checkOptions(options, known, hintOf(options))
  const { register = defaultRegister, group } = options
  checkRegister(register)
  checkGroup(group)
  checkUnregistered(register)
  const histograms = new Map<string, Histogram>()
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  for (const definition of metricDefinitions) {
    const { name, instrument, buckets } = definition
    const common = commonOptions(definition, register, group !== undefined)
    if (instrument === 'histogram') histograms.set(name, new Histogram({ ...common, buckets: [...buckets] }))
    else if (instrument === 'counter') counters.set(name, new Counter(common))
    else {
      const collect = (): void => {
        for (const reading of readings()) {
          if (reading.name === name) gauges.get(name)?.set({ ...reading.attributes }, reading.value)
        }
      }
      // How a cluster's primary joins the values of its workers, which prom-client adds up unless it says otherwise.
      const aggregator = instrument === 'sum' ? 'sum' : 'max'
      gauges.set(name, new Gauge({ ...common, collect, aggregator }))
    }
  }
  const measuring = measure(
    {
      record: (name, value, attributes) => histograms.get(name)?.observe({ ...attributes }, value),
      count: (name, by, attributes) => counters.get(name)?.inc({ ...attributes }, by),
    },
    group,
  )
  const readings = oncePerScrape(() => measuring.read())
  return () => {
    measuring.stop()
    for (const definition of metricDefinitions) register.removeSingleMetric(prometheusNameOf(definition))
  }
}

/** What to do with something that is often passed in place of the options. */
const hintOf = (given: unknown): string =>
  kindOf(given) === 'a Holdfast client' ? '; leave it out: all clients are measured' : ''

const known: ReadonlySet<string> = new Set(['register', 'group'])

const isRegistry = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && 'registerMetric' in given

function checkRegister(given: unknown): void {
  if (isRegistry(given)) return
  throw new InvalidArgumentError(
    `register must be a Registry of prom-client, got ${kindOf(given)}; without it metrics go to the default registry`,
  )
}

function checkUnregistered(register: Registry): void {
  const taken = metricDefinitions.map(prometheusNameOf).find((name) => register.getSingleMetric(name))
  if (taken === undefined) return
  throw new InvalidArgumentError(
    `the registry has ${taken} already: call collectHoldfastMetrics once for all clients of the process; to begin again, ` +
      'call the function that it returned first',
  )
}

/** prom-client collects all metrics of a scrape without a break, each by itself. What is read serves all of them. */
function oncePerScrape<T>(read: () => T): () => T {
  let latest: { readonly value: T } | undefined
  return () => {
    if (!latest) {
      latest = { value: read() }
      queueMicrotask(() => {
        latest = undefined
      })
    }
    return latest.value
  }
}

const commonOptions = (
  definition: MetricDefinition,
  register: Registry,
  isGrouped: boolean,
): { name: string; help: string; labelNames: string[]; registers: Registry[] } => ({
  name: prometheusNameOf(definition),
  help: definition.description,
  labelNames: [...definition.attributes, ...(isGrouped && definition.hasGroup ? ['group'] : [])],
  registers: [register],
})
