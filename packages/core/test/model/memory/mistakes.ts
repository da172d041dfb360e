import { three, threeWithFault, two, twoWithFault, type Mistake } from '../mistake.js'
import type { MachineModule } from './machine.js'

/** Mistakes in the state machine of the memory engine. */
export const machineMistakes: readonly Mistake<MachineModule>[] = [
  {
    mistake: 'counts by increment',
    breaks: 'count',
    bounds: twoWithFault,
    from: `state.hold.count = count`,
    to: `state.hold.count += 1`,
  },
  {
    mistake: 'enters a held lock',
    breaks: 'exclusion',
    bounds: two,
    from: `if (state.hold) {`,
    to: `if (state.hold && count > 1) {`,
  },
  {
    mistake: 'lets a count of 2 in without a hold',
    breaks: 'leftover',
    bounds: twoWithFault,
    from: `if (count > 1) return { kind: 'lost' }`,
    to: ``,
  },
  {
    mistake: 'gives up without leaving a tombstone',
    breaks: 'leftover',
    bounds: twoWithFault,
    from: `state.tombstones.set(owner, nowUs + tombstoneMs * 1_000)`,
    to: ``,
  },
  {
    mistake: 'serves the last waiter first',
    breaks: 'order',
    bounds: three,
    from: `of state.queue) {`,
    to: `of [...state.queue].reverse()) {`,
  },
  {
    mistake: 'queues again at the end',
    breaks: 'order',
    bounds: threeWithFault,
    from: `state.queue.set(owner, {`,
    to: `state.queue.delete(owner)\n  state.queue.set(owner, {`,
  },
  {
    mistake: 'releases without granting',
    breaks: 'handOff',
    bounds: two,
    from: `if (!state.hold) grantToFirst(state, context)`,
    to: ``,
  },
  {
    mistake: 'grants to a stale entry',
    breaks: 'handOff',
    bounds: twoWithFault,
    from: `const isAlive = aliveUntilUs > nowUs`,
    to: `const isAlive = true`,
  },
  {
    mistake: 'repeats the last token',
    breaks: 'token',
    bounds: two,
    from: `(state.fence?.token ?? 0) + 1)`,
    to: `state.fence?.token ?? 0)`,
  },
  {
    mistake: 'shortens the time of a queue',
    breaks: 'ttl',
    bounds: three,
    from: `if (leftMs < 1.25 * entryTtlMs) state.queueUntilUs = nowUs + 2 *`,
    to: `state.queueUntilUs = nowUs +`,
  },
  {
    mistake: 'keeps a hold that has expired',
    breaks: 'token',
    bounds: two,
    from: `if (state.hold && state.hold.untilUs <= nowUs) state.hold = null`,
    to: ``,
  },
]
