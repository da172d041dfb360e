import type { Figure } from '../figure.js'
import type { Scenario } from '../scenario.js'
import { drawBars } from './bars.js'
import { drawLines, type Line } from './lines.js'
import { Sight } from './sight.js'

export interface Plot {
  readonly file: string
  readonly svg: string
}

const best = 'Other libraries in their best configuration'

/** The documentation's plots, as far as there are figures for them. */
export function drawPlots(scenarios: readonly Scenario[], figures: readonly Figure[]): Plot[] {
  const sight = new Sight(scenarios, figures)
  const drawers = { uncontended, waiters, processes, commands, watchdog }
  return Object.entries(drawers).flatMap(([name, drawer]) => {
    const svg = drawer(sight)
    return svg === null ? [] : [{ file: `${name}.svg`, svg }]
  })
}

function uncontended(sight: Sight): string | null {
  const bars = sight.ratioBars('uncontended')
  if (bars.length === 0) return null
  return drawBars({
    title: 'A cycle of a lock that nobody else wants',
    subtitle: `${best}. Less is better`,
    xTitle: 'time of a cycle, as a multiple of the floor',
    bars,
  })
}

const usualProcesses = 4
const usualWaiters = 200

function waiters(sight: Sight): string | null {
  const figures = nearest(sight.figuresOf('hand-off'), 'waiters', 'processes', usualProcesses)
  if (figures.length === 0) return null
  return drawLines({
    title: 'Hand-off against the number of waiters',
    subtitle: `${best}. Less is better`,
    xTitle: 'waiters',
    panels: [{ yTitle: 'µs per hand-off', y: 'log', lines: sight.lines(figures, 'waiters', 'usPerHandOff') }],
  })
}

function processes(sight: Sight): string | null {
  const figures = sight.figuresOf('hand-off').filter(({ at }) => at['waiters'] === usualWaiters)
  const lines = sight.lines(figures, 'processes', 'usPerHandOff').filter(({ points }) => points.length > 1)
  if (lines.length === 0) return null
  return drawLines({
    title: 'Hand-off against the number of processes',
    subtitle: `${usualWaiters} waiters, spread evenly. Less is better`,
    xTitle: 'processes',
    panels: [{ yTitle: 'µs per hand-off', y: 'value', lines }],
  })
}

function commands(sight: Sight): string | null {
  const with50 = sight.figuresOf('hand-off').filter(({ at }) => at['waiters'] === 50)
  const figures = nearest(with50, 'waiters', 'processes', usualProcesses)
  const bars = sight.bars(figures, 'commandsPerCycle')
  if (bars.length === 0) return null
  return drawBars({
    title: 'Commands that clients send for each time through a lock',
    subtitle: `50 waiters. ${best}. Less is better`,
    xTitle: 'commands per cycle',
    bars,
  })
}

function watchdog(sight: Sight): string | null {
  const figures = sight.figuresOf('watchdog')
  if (figures.length === 0) return null
  const goal: Line = {
    name: 'goal: a command for 500 locks',
    colour: '#6e7781',
    isDashed: true,
    points:
      sight
        .lines(figures, 'locks', 'commandsPerPeriod')[0]
        ?.points.map(([locks]) => [locks, Math.ceil(locks / 500)]) ?? [],
  }
  return drawLines({
    title: 'Keeping locks that are held',
    subtitle: `A period is a third of the lease. ${best}. Less is better`,
    xTitle: 'locks held by one process',
    panels: [
      {
        yTitle: 'commands per period',
        y: 'log',
        lines: [...sight.lines(figures, 'locks', 'commandsPerPeriod'), goal],
      },
      {
        yTitle: 'client CPU, share of one core',
        y: 'log',
        lines: sight.lines(figures, 'locks', 'clientCpuShare'),
      },
    ],
  })
}

/** For each that was measured and each value of `x`, the figure whose other condition is nearest to the usual one. */
function nearest(figures: readonly Figure[], x: string, other: string, usual: number): Figure[] {
  const chosen = new Map<string, Figure>()
  const distance = ({ at }: Figure) => Math.abs(Number(at[other]) - usual)
  for (const figure of figures) {
    const key = JSON.stringify([figure.of, figure.at[x]])
    const before = chosen.get(key)
    if (!before || distance(figure) < distance(before)) chosen.set(key, figure)
  }
  return [...chosen.values()]
}
