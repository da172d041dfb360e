import type { Figure } from '../figure.js'
import type { Scenario } from '../scenario.js'
import { drawBars } from './bars.js'
import { drawLines, type Line } from './lines.js'
import { PlotData } from './plot-data.js'

export interface Plot {
  readonly file: string
  readonly svg: string
}

const best = 'Other libraries in their best configuration'

/** The documentation's plots for which there are figures. */
export function drawPlots(scenarios: readonly Scenario[], figures: readonly Figure[]): Plot[] {
  const data = new PlotData(scenarios, figures)
  const drawers = { uncontended, waiters, processes, commands, watchdog }
  return Object.entries(drawers).flatMap(([name, drawer]) => {
    const svg = drawer(data)
    return svg === null ? [] : [{ file: `${name}.svg`, svg }]
  })
}

function uncontended(data: PlotData): string | null {
  const bars = data.ratioBars('uncontended')
  if (bars.length === 0) return null
  return drawBars({
    title: 'A cycle of an uncontended lock',
    subtitle: `${best}. Less is better`,
    xTitle: 'time of a cycle, as a multiple of the floor',
    bars,
  })
}

const usualProcesses = 4
const usualWaiters = 200

function waiters(data: PlotData): string | null {
  const figures = nearest(data.figuresOf('hand-off'), 'waiters', 'processes', usualProcesses)
  if (figures.length === 0) return null
  return drawLines({
    title: 'Hand-off against the number of waiters',
    subtitle: `${best}. Less is better`,
    xTitle: 'waiters',
    panels: [{ yTitle: 'µs per hand-off', y: 'log', lines: data.lines(figures, 'waiters', 'usPerHandOff') }],
  })
}

function processes(data: PlotData): string | null {
  const figures = data.figuresOf('hand-off').filter(({ at }) => at['waiters'] === usualWaiters)
  const lines = data.lines(figures, 'processes', 'usPerHandOff').filter(({ points }) => points.length > 1)
  if (lines.length === 0) return null
  return drawLines({
    title: 'Hand-off against the number of processes',
    subtitle: `${usualWaiters} waiters, spread evenly. Less is better`,
    xTitle: 'processes',
    panels: [{ yTitle: 'µs per hand-off', y: 'value', lines }],
  })
}

function commands(data: PlotData): string | null {
  const with50 = data.figuresOf('hand-off').filter(({ at }) => at['waiters'] === 50)
  const figures = nearest(with50, 'waiters', 'processes', usualProcesses)
  const bars = data.bars(figures, 'commandsPerCycle')
  if (bars.length === 0) return null
  return drawBars({
    title: 'Commands that clients send for each time through a lock',
    subtitle: `50 waiters. ${best}. Less is better`,
    xTitle: 'commands per cycle',
    bars,
  })
}

function watchdog(data: PlotData): string | null {
  const figures = data.figuresOf('watchdog')
  if (figures.length === 0) return null
  const goal: Line = {
    name: 'goal: a command for 500 locks',
    colour: '#6e7781',
    isDashed: true,
    points:
      data
        .lines(figures, 'locks', 'commandsPerPeriod')[0]
        ?.points.map(([locks]) => [locks, Math.ceil(locks / 500)]) ?? [],
  }
  return drawLines({
    title: 'Renewing held locks',
    subtitle: `A period is a third of the lease. ${best}. Less is better`,
    xTitle: 'locks held by one process',
    panels: [
      {
        yTitle: 'commands per period',
        y: 'log',
        lines: [...data.lines(figures, 'locks', 'commandsPerPeriod'), goal],
      },
      {
        yTitle: 'client CPU, share of one core',
        y: 'log',
        lines: data.lines(figures, 'locks', 'clientCpuShare'),
      },
    ],
  })
}

/** For each subject and each value of `x`, the figure whose other condition is closest to the usual one. */
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
