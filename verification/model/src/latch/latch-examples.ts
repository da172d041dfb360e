import { unitMs } from '../compare/lock-sequences.js'
import type { DrawnLatchStep } from './latch-sequences.js'

const last = 0
const none = null

type Step<K extends DrawnLatchStep['kind']> = Extract<DrawnLatchStep, { kind: K }>
type Named = Step<'set'>['named']

const set = (
  setter: Step<'set'>['setter'],
  named: Named,
  count: Step<'set'>['count'] = 1,
): DrawnLatchStep => ({
  kind: 'set',
  named,
  setter,
  count,
  keepMs: 1.25 * unitMs,
  incarnation: '1',
})
const countDown = (named: Named = last): DrawnLatchStep => ({ kind: 'count down', named, party: 'p' })
const wait = (awaited: Step<'wait'>['awaited'] = null): DrawnLatchStep => ({
  kind: 'wait',
  clientId: 'A',
  awaited,
  aliveMs: 1.75 * unitMs,
})
const remove = (named: Named = last): DrawnLatchStep => ({
  kind: 'delete',
  named,
  tombstoneMs: 0.75 * unitMs,
})
const pass: DrawnLatchStep = { kind: 'pass', ms: 3 * unitMs }

/** Counts that ended unnoticed: one that was half counted down after another that was opened, and one that was opened. */
const halfCounted = [set('a', none), countDown(), set('b', last, 2), countDown(), pass]
const opened = [set('a', none), countDown(), pass]

/** The first step that may notice, and what shows whether it forgot all of them. */
const noticing: readonly (readonly DrawnLatchStep[])[] = [
  [set('c', none)],
  [set('c', last)],
  [set('b', none)],
  [set('a', none)],
  ...[countDown(), countDown(none), remove(), remove(none), wait()].flatMap((step) => [
    [step, set('c', none), countDown()],
    [step, set('c', last)],
    [step, set('b', none)],
    [step, set('a', none)],
  ]),
]

/** What random sequences seldom hit upon, and what some of the mistakes show in. */
export const latchExamples: readonly (readonly DrawnLatchStep[])[] = [
  ...[halfCounted, opened].flatMap((ended) => noticing.map((steps) => [...ended, ...steps])),
  // Another count is set since the one was opened that a waiter asked for, and since nobody asked for one.
  [set('a', none), countDown(), set('b', last), wait({ seen: 1, isBound: false })],
  [set('a', none), countDown(), set('b', last), wait()],
]
