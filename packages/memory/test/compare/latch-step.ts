import fc from 'fast-check'

/** Time passes only in steps of whole ones of these, and no time to live is a multiple: none ends when it is looked at. */
const unitMs = 600_000
const times = (units: readonly number[]) => fc.constantFrom(...units.map((each) => each * unitMs))

export const clientIds = ['A', 'B', 'C'] as const

/** Which of the generations and instants that were seen so far, the last one first; none for 0. */
type Seen = number | null

/** What a client has the store do, or what happens besides. */
export type LatchStep =
  | {
      readonly kind: 'set'
      readonly named: Seen
      readonly setter: string
      readonly count: number
      readonly keepMs: number
      readonly incarnation: string
    }
  | { readonly kind: 'count down'; readonly named: Seen; readonly party: string }
  | {
      readonly kind: 'wait'
      readonly clientId: string
      readonly awaited: { readonly seen: number; readonly isBound: boolean } | null
      readonly aliveMs: number
    }
  | { readonly kind: 'delete'; readonly named: Seen; readonly tombstoneMs: number }
  | { readonly kind: 'pass'; readonly ms: number }

/** Mostly the last one. */
const seen = fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 2, 3)
const named = fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 6, arbitrary: seen })

const set = fc.record({
  kind: fc.constant('set' as const),
  named,
  setter: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  count: fc.constantFrom(1, 1, 2, 3),
  keepMs: times([1.25, 4.25]),
  incarnation: fc.constantFrom('1', '1', '1', '2'),
})
const countDown = fc.record({
  kind: fc.constant('count down' as const),
  named,
  party: fc.constantFrom('p', 'q', 'r'),
})
const wait = fc.record({
  kind: fc.constant('wait' as const),
  clientId: fc.constantFrom(...clientIds),
  awaited: fc.option(fc.record({ seen, isBound: fc.boolean() })),
  aliveMs: fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: times([1.75, 2.75]) }),
})
const remove = fc.record({ kind: fc.constant('delete' as const), named, tombstoneMs: times([0.75]) })
const pass = fc.record({ kind: fc.constant('pass' as const), ms: times([1, 3]) })

const once = fc.oneof(
  { weight: 5, arbitrary: set },
  { weight: 8, arbitrary: countDown },
  { weight: 7, arbitrary: wait },
  { weight: 1, arbitrary: remove },
  { weight: 1, arbitrary: pass },
)

/** Steps on one latch, some of them sent twice. */
export const latchSequence: fc.Arbitrary<readonly LatchStep[]> = fc
  .array(fc.tuple(once, fc.integer({ min: 1, max: 6 })), { minLength: 1, maxLength: 25 })
  .map((list) => list.flatMap(([step, roll]) => (roll === 1 ? [step, step] : [step])))

/**
 * The generations and instants of one store. They come from a clock and differ, so each is named after its place among those
 * that were seen; the one behind it, and those that come from no clock, by what they are.
 */
export class SeenNumbers {
  readonly #all: number[] = []

  /** How both stores call it. */
  nameOf(number: number): string {
    if (number <= 1) return String(number)
    if (this.#all.includes(number - 1) && !this.#all.includes(number)) return `${this.nameOf(number - 1)}+1`
    if (!this.#all.includes(number)) this.#all.push(number)
    return `#${this.#all.indexOf(number)}`
  }

  find(which: Seen): number {
    return which === null ? 0 : (this.#all.at(-1 - which) ?? 0)
  }
}

/** What a step replied, whom it notified, and what it left. */
export interface LatchObservation {
  readonly reply: string
  readonly notices: readonly string[]
  readonly left: string
  readonly ttlMs: number
}
