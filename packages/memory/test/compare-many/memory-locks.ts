import fc from 'fast-check'
import { acquireMany } from '../../src/acquire-many.js'
import { freeLock, settle, type LockState } from '../../src/lock-state.js'
import * as steps from '../../src/steps.js'
import type { StepContext } from '../../src/hand-off.js'

/** Time passes only in steps of whole ones of these, and no time to live is a multiple: none ends when it is looked at. */
const unitMs = 600_000
const times = (units: readonly number[]) => fc.constantFrom(...units.map((each) => each * unitMs))

export const lockNames = ['x', 'y', 'z'] as const
const owner = fc.constantFrom('A', 'B', 'C', 'D', 'E')
/** Whose client is not subscribed: waiters under this name are passed over. */
export const deafOwner = 'E'
const lock = fc.constantFrom(...lockNames)
type LockName = (typeof lockNames)[number]

/** What owners have the store do with several locks. */
export type Step =
  | {
      readonly kind: 'acquireMany'
      readonly mode: 'all' | 'first'
      readonly leaseMs: number
      readonly locks: readonly { readonly lock: LockName; readonly owner: string }[]
    }
  | { readonly kind: 'acquire'; readonly lock: LockName; readonly owner: string; readonly entryTtlMs: number }
  | {
      readonly kind: 'release'
      readonly lock: LockName
      readonly owner: string
      readonly tombstoneMs: number
    }
  /** The hold ends without a release, so that the lock is free while others wait for it. */
  | { readonly kind: 'expire'; readonly lock: LockName }
  | { readonly kind: 'pass'; readonly ms: number }

const acquireManyStep = fc.record({
  kind: fc.constant('acquireMany' as const),
  mode: fc.constantFrom('all' as const, 'first' as const),
  leaseMs: times([1.25, 3.25]),
  // Sometimes the same lock twice.
  locks: fc.array(fc.record({ lock, owner }), { minLength: 1, maxLength: 4 }),
})
const acquireStep = fc.record({
  kind: fc.constant('acquire' as const),
  lock,
  owner,
  entryTtlMs: fc.oneof(fc.constant(0), times([1.25, 2.25])),
})
const releaseStep = fc.record({
  kind: fc.constant('release' as const),
  lock,
  owner,
  tombstoneMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: times([2.25]) }),
})
const expireStep = fc.record({ kind: fc.constant('expire' as const), lock })
const passStep = fc.record({ kind: fc.constant('pass' as const), ms: times([1, 2, 5]) })

const once = fc.oneof(
  { weight: 6, arbitrary: acquireManyStep },
  { weight: 5, arbitrary: acquireStep },
  { weight: 5, arbitrary: releaseStep },
  { weight: 2, arbitrary: expireStep },
  { weight: 2, arbitrary: passStep },
)

/** Steps on a few locks, some of them sent twice. */
export const sequence: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.tuple(once, fc.integer({ min: 1, max: 6 })), { minLength: 1, maxLength: 25 })
  .map((list) => list.flatMap(([step, roll]) => (roll === 1 ? [step, step] : [step])))

export const singleLeaseMs = 2.25 * unitMs

/** What a step replied, and who holds and waits afterwards. */
export interface Observation {
  readonly reply: string
  readonly holders: readonly string[]
  readonly queues: readonly string[]
}

export const differenceBetween = (redis: Observation, memory: Observation): string | undefined => {
  const [left, right] = [JSON.stringify(redis), JSON.stringify(memory)]
  return left === right ? undefined : `\n  Redis  ${left}\n  memory ${right}`
}

export const describeSteps = (all: readonly Step[]): string =>
  all.map((step, i) => `${String(i + 1).padStart(3)}  ${JSON.stringify(step)}`).join('\n')

/** How many were entered, or which was busy and with whom inside. */
export const manyReply = (entered: number, busy: number | undefined, holder = ''): string =>
  `entered ${entered}${busy === undefined ? '' : `, busy ${busy} ${holder}`}`

/** A few locks of the pure state machine. */
export class MemoryLocks {
  readonly #states = new Map(lockNames.map((name) => [name as string, freeLock()]))
  #nowUs = 1_700_000_000_000_000

  run(step: Step): Observation {
    this.#nowUs += 1_000
    const reply = this.#reply(step)
    for (const state of this.#states.values()) settle(state, this.#nowUs)
    const states = [...this.#states.values()]
    return {
      reply,
      holders: states.map(({ hold }) => hold?.owner ?? ''),
      queues: states.map(({ queue }) => [...queue.keys()].join(' ')),
    }
  }

  #reply(step: Step): string {
    switch (step.kind) {
      case 'acquireMany': {
        const { mode, leaseMs } = step
        const locks = step.locks.map((each) => ({
          address: { name: each.lock, id: each.lock, group: '' },
          owner: each.owner,
        }))
        const reply = acquireMany({ locks, mode, leaseMs }, (id, act) => this.#run(id, act))
        if (reply.kind !== 'entered') return reply.kind
        return manyReply(reply.tokens.length, reply.busy?.index, reply.busy?.reply.holder)
      }
      case 'acquire': {
        const { owner: by, entryTtlMs } = step
        const times = { leaseMs: singleLeaseMs, entryTtlMs, grantLeaseMs: singleLeaseMs, proof: 'p' }
        const request = { owner: by, count: 1, ...times, wantsToken: true }
        return this.#run(step.lock, (state, context) => steps.acquire(state, request, context).kind)
      }
      case 'release': {
        const request = { owner: step.owner, count: 0, tombstoneMs: step.tombstoneMs }
        return this.#run(step.lock, (state, context) => steps.release(state, request, context).kind)
      }
      case 'expire':
        return this.#run(step.lock, (state) => {
          state.hold = null
          return ''
        })
      case 'pass':
        this.#nowUs += step.ms * 1_000
        return ''
    }
  }

  #run<T>(id: string, act: (state: LockState, context: StepContext) => T): T {
    const state = this.#states.get(id) ?? freeLock()
    settle(state, this.#nowUs)
    const isSubscribed = (by: string): boolean => by !== deafOwner
    const context = { nowUs: this.#nowUs, tokenFloor: 0, isSubscribed, notify: () => undefined }
    return act(state, context)
  }
}
