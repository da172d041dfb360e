import { isDeepStrictEqual } from 'node:util'
import { markdownTable } from 'markdown-table'
import { contenders } from '../adapters/contenders.js'
import type { About, Figure } from '../scenario.js'
import { ratioToFloor } from './ratio.js'
import { atLeast, atMost, exactly, type Verdict } from './verdict.js'

/** By the name of the scenario. */
export type Figures = ReadonlyMap<string, { readonly about: About; readonly figures: readonly Figure[] }>

const titlesOf = (some: typeof contenders.redis): ReadonlySet<string> =>
  new Set(some.map(({ library }) => library))
const floors = titlesOf(contenders.redis.filter(({ isFloor }) => isFloor))
const pollers = titlesOf(contenders.redis.filter(({ waits }) => waits === 'polling'))
const isHoldfast = ({ of }: Figure): boolean => of === 'Holdfast'
const isShared = ({ of }: Figure): boolean => /^(read lock|write lock|semaphore)/.test(of)

/** The project's targets, and whether a run on Redis met them; empty if it measured nothing that has one. */
export function targetsTable(run: Figures): string {
  const rows = [...ofLocks(run), ...ofSharedObjects(run)]
  return rows.length === 0
    ? ''
    : markdownTable([['', 'Target', 'Measured', ''], ...rows], { align: ['l', 'r', 'r', 'l'] })
}

function ofLocks(run: Figures): Verdict[] {
  const all = (name: string): readonly Figure[] => run.get(name)?.figures ?? []
  const own = (name: string): Figure[] => all(name).filter(isHoldfast)
  const toFloor = (name: string, chosen: readonly Figure[]): number[] => {
    const measured = run.get(name)
    return measured
      ? chosen.flatMap((figure) => ratioToFloor(measured.about, figure, measured.figures) ?? [])
      : []
  }
  const handOffs = own('hand-off')
  const between = handOffs.filter(({ at }) => at['processes'] !== 1)
  const in4 = handOffs.filter(({ at }) => at['processes'] === 4)
  const with200 = between.filter(({ at }) => at['waiters'] === 200)
  const with100Locks = own('throughput').filter(({ at }) => at['locks'] === 100)
  const libraries = all('throughput').filter((figure) => !isHoldfast(figure) && !floors.has(figure.of))
  const against = (of: string, name: string): number[] =>
    quotients(
      own('start-up'),
      all('start-up').filter((figure) => figure.of === of),
      name,
    )
  const kept = own('watchdog')
  const inOrder = [...handOffs, ...own('delayed-hand-off')]
  return [
    ...exactly('Commands per undisturbed cycle', 2, seenIn(own('uncontended'), 'commandsPerCycle')),
    ...exactly('Commands per contended cycle', 2, seenIn(handOffs, 'commandsPerCycle')),
    ...kept.flatMap((figure) =>
      seenIn([figure], 'targetRenewals').flatMap((limit) =>
        atMost(
          `Commands per period that renew ${locksIn(figure)}`,
          limit,
          seenIn([figure], 'renewalsPerPeriod'),
        ),
      ),
    ),
    ...atMost('Undisturbed cycle, × SET and DEL', 1.15, toFloor('uncontended', own('uncontended'))),
    ...atLeast('Throughput with 100 locks, × SET and DEL', 0.85, toFloor('throughput', with100Locks)),
    ...atLeast(
      'Throughput with 100 locks, × that of the fastest library',
      1,
      quotients(with100Locks, libraries, 'cyclesPerSecond'),
    ),
    ...atMost('Hand-off between processes, × hand-off by hand', 1.25, toFloor('hand-off', between)),
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
      quotients(
        all('hand-off').filter(({ of }) => pollers.has(of)),
        handOffs,
        'usPerHandOff',
      ),
    ),
    ...atLeast(
      'Hand-off of Redisson, × that of Holdfast',
      1,
      quotients(
        all('hand-off').filter(({ of }) => of === 'Redisson'),
        handOffs,
        'usPerHandOff',
      ),
    ),
    ...atMost('Import, processor time, × that of ioredis', 0.35, against('ioredis', 'importCpuMs')),
    ...atMost(
      'From the import to the first lock, × redis-semaphore',
      1,
      against('redis-semaphore', 'startMs'),
    ),
    ...atMost('First 1000 cycles of a process, × SET and DEL', 1.4, against('SET and DEL', 'firstCyclesUs')),
    ...atMost('Hand-off in new processes, × token in a list', 2, toFloor('hot-key', own('hot-key'))),
    ...kept
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
  ]
}

function ofSharedObjects(run: Figures): Verdict[] {
  const figures = run.get('instructions')?.figures ?? []
  const beginning = (begin: string): Figure[] =>
    figures.filter((figure) => isShared(figure) && String(figure.at['cycle']).startsWith(begin))
  const inside = (begin: string): number[] => seenIn(beginning(begin), 'commandsPerCycle')
  const timesLock = (begin: string): number[] =>
    quotients(beginning(begin), figures.filter(isHoldfast), 'instructionsPerCycle')
  return [
    ...atMost('Redis commands inside an undisturbed cycle of a shared object', 10, inside('undisturbed')),
    ...atMost('Redis commands inside a cycle beside readers', 16, inside('beside')),
    ...atMost('Redis commands inside a contended cycle of a shared object', 31, inside('contended')),
    ...atMost('Redis commands of a nested call', 0, inside('nested')),
    ...atMost('Undisturbed shared object, × the instructions of the lock', 1.6, timesLock('undisturbed')),
    ...atMost('Contended shared object, × the instructions of the lock', 1.6, timesLock('contended')),
  ]
}

const locksIn = ({ at: { locks = 0 } }: Figure): string => `${locks} ${locks === 1 ? 'lock' : 'locks'}`

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
