import type { Figure } from '../figure.js'
import type { Scenario } from '../scenario.js'
import { tableAcross, tableOf } from './table.js'

/** The part of a scenario's figures that a document shows. */
interface View {
  readonly scenario: string
  readonly shows?: (figure: Figure) => boolean
  /** The condition by which rows are sorted. Absent: the order of the run. */
  readonly along?: string
  /** The condition whose values become columns. */
  readonly across?: string
  /** Absent: all conditions. */
  readonly at?: readonly string[]
  /** Absent: all values. */
  readonly seen?: readonly string[]
}

const isHoldfast = ({ of }: Figure): boolean => of === 'Holdfast'

const views: Readonly<Record<string, View>> = {
  uncontended: { scenario: 'uncontended' },
  throughput: { scenario: 'throughput', across: 'locks' },
  nested: { scenario: 'nested' },
  'hand-off': {
    scenario: 'hand-off',
    shows: ({ at }) => at['processes'] === 4 && at['waiters'] === 50,
    seen: ['usPerHandOff', 'commandsPerCycle', 'backToLeaverShare', 'longestWaitMs'],
  },
  'hand-off-in-java': {
    scenario: 'hand-off',
    shows: ({ at }) => at['processes'] === 2 && Number(at['waiters']) >= 10 && Number(at['waiters']) <= 50,
    seen: ['usPerHandOff', 'commandsPerCycle', 'backToLeaverShare', 'longestWaitMs'],
  },
  'hand-off-by-waiters': {
    scenario: 'hand-off',
    shows: (figure) => isHoldfast(figure) && (figure.at['processes'] === 4 || figure.at['waiters'] === 2),
    along: 'waiters',
    seen: ['usPerHandOff', 'commandsPerCycle', 'outOfOrder', 'jain'],
  },
  'hand-off-by-processes': {
    scenario: 'hand-off',
    shows: (figure) => isHoldfast(figure) && figure.at['waiters'] === 200,
    along: 'processes',
    seen: ['usPerHandOff', 'commandsPerCycle', 'outOfOrder', 'jain'],
  },
  'delayed-hand-off': {
    scenario: 'delayed-hand-off',
    at: [],
    seen: ['roundTripsPerHandOff', 'usPerHandOff', 'pingUs', 'backToLeaverShare'],
  },
  fairness: {
    scenario: 'fairness',
    at: ['processes'],
    seen: ['jain', 'outOfOrder', 'longestWaitMs', 'backToLeaverShare'],
  },
  watchdog: { scenario: 'watchdog' },
  idle: { scenario: 'idle', at: [] },
  memory: {
    scenario: 'memory',
    at: ['what', 'locks'],
    seen: ['heapBytes', 'bytesBeyondFloor', 'rssBytes', 'serverBytes'],
  },
  'start-up': { scenario: 'start-up' },
  'cluster-bus': { scenario: 'cluster-bus' },
  instructions: { scenario: 'instructions' },
  'shared-instructions': { scenario: 'shared-instructions' },
  'shared-herds': {
    scenario: 'shared',
    shows: ({ at: { situation } }) => String(situation).endsWith('for a writer'),
    seen: ['usPerCycle', 'redisUsPerEntry', 'commandsPerCycle'],
  },
  'shared-readers': {
    scenario: 'shared',
    shows: ({ at: { situation } }) => situation === '100 loops' || String(situation).endsWith('readers'),
    seen: [
      'usPerCycle',
      'commandsPerCycle',
      'writerWaitP50Ms',
      'writerWaitP99Ms',
      'readerWaitP50Ms',
      'readerWaitP99Ms',
    ],
  },
  'shared-semaphores': {
    scenario: 'shared',
    shows: ({ at: { situation } }) => situation === '200 loops',
    seen: ['usPerCycle', 'commandsPerCycle'],
  },
  'shared-memory': {
    scenario: 'shared-memory',
    at: ['what', 'locks'],
    seen: ['heapBytes', 'bytesBeyondFloor', 'serverBytes'],
  },
  soak: {
    scenario: 'soak',
    shows: ({ at: { minute } }) => typeof minute === 'string' || Number(minute) % 10 === 0,
    seen: [
      'heapBytes',
      'externalBytes',
      'rssBytes',
      'cycles',
      'unanswered',
      'activeResources',
      'signalListeners',
      'keys',
    ],
  },
}

/** The table of this name; `undefined` if there is no such view. */
export function viewOf(
  name: string,
  scenarios: readonly Scenario[],
  figures: readonly Figure[],
): string | undefined {
  const view = views[name]
  const scenario = scenarios.find((scenario) => scenario.name === view?.scenario)
  if (!view || !scenario) return undefined
  const all = figures.filter((figure) => figure.scenario === scenario.name)
  const { along, across } = view
  const shown = all.filter(view.shows ?? (() => true))
  if (shown.length === 0) throw new Error(`there are no figures for ${name}`)
  if (along !== undefined) shown.sort((a, b) => Number(a.at[along]) - Number(b.at[along]))
  const only = ({ at, seen, ...rest }: Figure): Figure => ({
    ...rest,
    at: picked(at, view.at),
    seen: picked(seen, view.seen),
  })
  if (across !== undefined) return tableAcross(scenario, shown, across)
  return tableOf(scenario, shown.map(only), all.map(only))
}

function picked<T>(
  record: Readonly<Record<string, T>>,
  names: readonly string[] | undefined,
): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names?.includes(name) ?? true))
}
