import { metrics, trace } from '@opentelemetry/api'
import type { MeterProvider, TracerProvider } from '@opentelemetry/api'
import { checkObject, checkOptions } from '../engine/index.js'
import { checkGroup } from '../metrics/checks.js'
import type { GroupOf } from '../metrics/groups.js'
import { exportMetrics } from './export-metrics.js'
import { exportSpans } from './export-spans.js'

/** What is exported, and how. */
export interface HoldfastInstrumentationConfig {
  /**
   * Whether it begins at once.
   *
   * @defaultValue true
   */
  enabled?: boolean
  /**
   * Puts a lock into a group by its name: the attribute `group` of the metrics about it. At most 50 groups; further ones
   * become `_other`. Without it no metric says which locks it is about: names are unbounded, and are on spans only.
   */
  group?: GroupOf
}

/**
 * OpenTelemetry metrics and traces of all Holdfast clients in the process: an `Instrumentation`, as `NodeSDK` and
 * `registerInstrumentations` take it. By itself it uses the global providers that are registered when it is made.
 *
 * What was held or awaited before it began is in no gauge.
 */
export class HoldfastInstrumentation {
  /** Of the meter and the tracer. */
  readonly instrumentationName = '@holdfast/core'
  /** Of this package. */
  readonly instrumentationVersion = '0.1.0'
  #config: HoldfastInstrumentationConfig
  #meterProvider: MeterProvider | undefined
  #tracerProvider: TracerProvider | undefined
  #stop: (() => void) | undefined

  constructor(config: HoldfastInstrumentationConfig = {}) {
    this.#config = checked(config)
    // In `setConfig` OpenTelemetry may put options of its own in.
    checkOptions(config, known)
    if (config.enabled !== false) this.enable()
  }

  /** Begins. Does nothing if it has begun. */
  enable(): void {
    if (this.#stop) return
    const { instrumentationName: name, instrumentationVersion: version } = this
    const meter = (this.#meterProvider ?? metrics.getMeterProvider()).getMeter(name, version)
    const tracer = (this.#tracerProvider ?? trace.getTracerProvider()).getTracer(name, version)
    const stops = [exportMetrics(meter, this.#config.group), exportSpans(tracer)]
    this.#stop = () => {
      for (const stop of stops) stop()
    }
  }

  /** Ends. Spans that are open are never ended. */
  disable(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  /** From now on uses this provider in place of the global one. */
  setMeterProvider(provider: MeterProvider): void {
    this.#meterProvider = provider
    this.#restart()
  }

  /** From now on uses this provider in place of the global one. */
  setTracerProvider(provider: TracerProvider): void {
    this.#tracerProvider = provider
    this.#restart()
  }

  /** As given to the constructor or `setConfig`. */
  getConfig(): HoldfastInstrumentationConfig {
    return this.#config
  }

  /** From now on exports by this configuration; `enabled` changes nothing. */
  setConfig(config: HoldfastInstrumentationConfig): void {
    this.#config = checked(config)
    this.#restart()
  }

  #restart(): void {
    if (!this.#stop) return
    this.disable()
    this.enable()
  }
}

const known: ReadonlySet<string> = new Set(['enabled', 'group'])

function checked(config: HoldfastInstrumentationConfig): HoldfastInstrumentationConfig {
  checkObject(config, '; pass new HoldfastInstrumentation({ group })')
  checkGroup(config.group)
  return config
}
