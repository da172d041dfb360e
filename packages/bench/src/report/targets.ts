import { isDeepStrictEqual } from 'node:util'
import { contenders } from '../contenders/contenders.js'
import type { Figure } from '../figure.js'
import type { Scenario } from '../scenario.js'
import { ratioToFloor } from './ratio.js'
import { atLeast, atMost, exactly, verdictTable, type Verdict } from './verdict.js'

const floors = contenders.flatMap(({ library, configuration }) =>
  configuration === 'floor' ? [library] : [],
)
const isHoldfast = ({ of }: Figure): boolean => of === 'Holdfast'
const isOther = ({ of }: Figure): boolean => of !== 'Holdfast' && !floors.includes(of)
const isInJava = ({ of }: Figure): boolean => of.startsWith('Redisson')
/** In their best configurations; that of node-redisson notifies its waiters instead. */
const polls = (figure: Figure): boolean =>
  isOther(figure) && !isInJava(figure) && !figure.of.endsWith(', defaults') && figure.of !== 'node-redisson'

/** The project's targets, and whether they are met. */
export function targetsTable(scenarios: readonly Scenario[], figures: readonly Figure[]): string {
  const all = (scenario: string): Figure[] => figures.filter((figure) => figure.scenario === scenario)
  const own = (scenario: string): Figure[] => all(scenario).filter(isHoldfast)
  const toFloor = (chosen: readonly Figure[]): number[] =>
    chosen.flatMap((figure) => {
      const scenario = scenarios.find(({ name }) => name === figure.scenario)
      return (scenario && ratioToFloor(scenario, figure, figures)) ?? []
    })

  const handOffs = own('hand-off')
  const between = handOffs.filter(({ at }) => at['processes'] !== 1)
  const in4 = handOffs.filter(({ at }) => at['processes'] === 4)
  const with200 = between.filter(({ at }) => at['waiters'] === 200)
  const with100Locks = own('throughput').filter(({ at }) => at['locks'] === 100)
  const inOrder = [...handOffs, ...own('delayed-hand-off'), ...own('fairness')]
  const rows: Verdict[] = [
    ...exactly('Commands per undisturbed cycle', 2, seenIn(own('uncontended'), 'commandsPerCycle')),
    ...exactly('Commands per contended cycle', 2, seenIn(handOffs, 'commandsPerCycle')),
    ...exactly('Commands that a nested call adds', 2, seenIn(own('nested'), 'commandsMore')),
    ...own('watchdog').flatMap((figure) =>
      seenIn([figure], 'targetRenewals').flatMap((limit) =>
        atMost(
          `Commands per period that renew ${locksIn(figure)}`,
          limit,
          seenIn([figure], 'renewalsPerPeriod'),
        ),
      ),
    ),
    ...atMost('Scripts per period for 200 idle waiters', 2, seenIn(own('idle'), 'scriptsPerSecond')),
    ...atMost('Undisturbed cycle, × SET and DEL', 1.15, toFloor(own('uncontended'))),
    ...atLeast('Throughput with 100 locks, × SET and DEL', 0.85, toFloor(with100Locks)),
    ...atLeast(
      'Throughput with 100 locks, × that of the fastest library',
      1,
      quotients(with100Locks, all('throughput').filter(isOther), 'cyclesPerSecond'),
    ),
    ...atMost('Hand-off between processes, × hand-off by hand', 1.25, toFloor(between)),
    ...atMost(
      'Round trips per hand-off, 1 ms away',
      1.15,
      seenIn(own('delayed-hand-off'), 'roundTripsPerHandOff'),
    ),
    ...atMost('Waiters overtaken', 0, seenIn(inOrder, 'outOfOrder')),
    ...atMost('Hand-off with 10 to 2000 waiters, ±', 0.2, spread(seenIn(in4, 'usPerHandOff'))),
    ...atMost('Hand-off in 2 to 8 processes, ±', 0.2, spread(seenIn(with200, 'usPerHandOff'))),
    ...atLeast(
      'Hand-off of every library that polls, × that of Holdfast',
      10,
      quotients(all('hand-off').filter(polls), handOffs, 'usPerHandOff'),
    ),
    ...atLeast(
      'Hand-off of Redisson, × that of Holdfast',
      1,
      quotients(all('hand-off').filter(isInJava), handOffs, 'usPerHandOff'),
    ),
    ...own('watchdog')
      .filter(({ at }) => Number(at['locks']) >= 10_000)
      .flatMap((figure) => [
        ...atMost(`Lost of ${locksIn(figure)}`, 0, seenIn([figure], 'lost')),
        ...atMost(
          `Event-loop delay with ${locksIn(figure)}, p99 in ms`,
          20,
          seenIn([figure], 'loopDelayP99Ms'),
        ),
        ...atMost(
          `Client CPU with ${locksIn(figure)}, share of a core`,
          0.1,
          seenIn([figure], 'clientCpuShare'),
        ),
      ]),
    ...own('memory').flatMap((figure) =>
      atMost(
        `Heap bytes per ${whatIn(figure)}, beyond the floor`,
        1_536,
        seenIn([figure], 'bytesBeyondFloor'),
      ),
    ),
  ]
  return verdictTable(rows)
}

const locksIn = ({ at: { locks = 0 } }: Figure): string => `${locks} ${locks === 1 ? 'lock' : 'locks'}`

const whatIn = (figure: Figure): string =>
  figure.at['what'] === 'waiter' ? `waiter for ${locksIn(figure)}` : 'held lock'

const seenIn = (figures: readonly Figure[], name: string): number[] =>
  figures.flatMap(({ seen }) => seen[name] ?? [])

/** The distance of the extremes from their midpoint, relative to it. */
function spread(values: readonly number[]): number[] {
  const [min, max] = [Math.min(...values), Math.max(...values)]
  return values.length < 2 ? [] : [(max - min) / (max + min)]
}

/** Each of `figures` divided by each of `others` that was measured under the same conditions. */
const quotients = (figures: readonly Figure[], others: readonly Figure[], name: string): number[] =>
  figures.flatMap((figure) => {
    const same = others.filter(({ at }) => isDeepStrictEqual(at, figure.at))
    return seenIn([figure], name).flatMap((value) => seenIn(same, name).map((other) => value / other))
  })
