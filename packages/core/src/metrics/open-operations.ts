import type { AcquireContext, HoldContext } from '../index.js'
import type { Attributes } from './attributes.js'
import type { GaugeName } from './definitions.js'

/** One value of a gauge. */
export interface GaugeReading {
  /** Of the gauge. */
  readonly name: GaugeName
  /** In the unit of the gauge. */
  readonly value: number
  /** The group, or nothing. */
  readonly attributes: Attributes
}

interface Sums {
  readonly attributes: Attributes
  holds: number
  waiters: number
  ageMaxMs: number
}

/** What has begun and not ended: what is held, and who waits. */
export class OpenOperations {
  /** With the group that it was in when it began. */
  readonly #holds = new Map<HoldContext, Attributes>()
  readonly #acquisitions = new Map<
    AcquireContext,
    { readonly beganAt: number; readonly attributes: Attributes }
  >()
  /** Those that had a value once: a series that ends without a 0 looks as if it stood still. */
  readonly #seen = new Map<string, Attributes>([['', {}]])

  began(context: AcquireContext, attributes: Attributes): void {
    this.#acquisitions.set(context, { beganAt: performance.now(), attributes })
  }

  ended(context: AcquireContext): void {
    this.#acquisitions.delete(context)
  }

  held(context: HoldContext, attributes: Attributes): void {
    this.#holds.set(context, attributes)
  }

  left(context: HoldContext): void {
    this.#holds.delete(context)
  }

  read(): GaugeReading[] {
    const now = performance.now()
    const sums = new Map<string, Sums>()
    const of = (attributes: Attributes): Sums => {
      const key = attributes['group'] ?? ''
      this.#seen.set(key, attributes)
      const known = sums.get(key) ?? { attributes, holds: 0, waiters: 0, ageMaxMs: 0 }
      sums.set(key, known)
      return known
    }
    for (const attributes of this.#seen.values()) of(attributes)
    for (const attributes of this.#holds.values()) of(attributes).holds++
    for (const [{ contended, standby }, { beganAt, attributes }] of this.#acquisitions) {
      if (!contended) continue
      const sum = of(attributes)
      sum.waiters++
      if (!standby) sum.ageMaxMs = Math.max(sum.ageMaxMs, now - beganAt)
    }
    return [...sums.values()].flatMap(({ attributes, holds, waiters, ageMaxMs }): GaugeReading[] => [
      { name: 'holdfast.hold.count', value: holds, attributes },
      { name: 'holdfast.waiter.count', value: waiters, attributes },
      { name: 'holdfast.waiter.age.max', value: ageMaxMs / 1000, attributes },
    ])
  }
}
