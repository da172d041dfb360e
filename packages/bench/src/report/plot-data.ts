import type { Figure } from '../figure.js'
import type { Scenario } from '../scenario.js'
import type { Bar } from './bars.js'
import type { Line } from './lines.js'
import { coloursOf } from './style.js'
import { ratioToFloor } from './ratio.js'
import { formatNumber } from './format.js'

/** The figures prepared for plots: without the libraries' default configurations, which only tables show. */
export class PlotData {
  readonly #scenarios: readonly Scenario[]
  readonly #figures: readonly Figure[]
  readonly #floors: readonly string[]
  readonly #colours: ReadonlyMap<string, string>

  constructor(scenarios: readonly Scenario[], figures: readonly Figure[]) {
    this.#scenarios = scenarios
    this.#figures = figures.filter(({ of }) => !of.endsWith(', defaults'))
    this.#floors = scenarios.flatMap(({ floor }) => floor ?? [])
    this.#colours = coloursOf(
      this.#figures.map(({ of }) => of),
      this.#floors,
    )
  }

  figuresOf(scenario: string): readonly Figure[] {
    return this.#figures.filter((figure) => figure.scenario === scenario)
  }

  /** One line per subject, over the condition `x`. */
  lines(figures: readonly Figure[], x: string, y: string): Line[] {
    return namesIn(figures).map((name) => ({
      name,
      colour: this.#colourOf(name),
      isDashed: this.#floors.includes(name),
      points: pointsOf(
        figures.filter(({ of }) => of === name),
        x,
        y,
      ),
    }))
  }

  /** One bar per subject. */
  bars(figures: readonly Figure[], what: string): Bar[] {
    return figures.flatMap(({ of, seen }) => this.#bar(of, seen[what], ''))
  }

  /** One bar per subject, as a ratio to the floor. */
  ratioBars(scenarioName: string): Bar[] {
    const scenario = this.#scenarios.find(({ name }) => name === scenarioName)
    const figures = this.figuresOf(scenarioName)
    if (!scenario) return []
    return figures.flatMap((figure) => this.#bar(figure.of, ratioToFloor(scenario, figure, figures), ' ×'))
  }

  #bar(name: string, value: number | undefined, unit: string): Bar[] {
    if (value === undefined) return []
    return [{ name, colour: this.#colourOf(name), value, label: `${formatNumber(value)}${unit}` }]
  }

  #colourOf(name: string): string {
    const colour = this.#colours.get(name)
    if (colour === undefined) throw new Error(`${name} is not among the figures`)
    return colour
  }
}

/** Holdfast comes first in a legend. */
const namesIn = (figures: readonly Figure[]): string[] => {
  const names = [...new Set(figures.map(({ of }) => of))]
  return [...names.filter((name) => name === 'Holdfast'), ...names.filter((name) => name !== 'Holdfast')]
}

function pointsOf(figures: readonly Figure[], x: string, y: string): (readonly [number, number])[] {
  return figures
    .map(({ at, seen }) => [Number(at[x]), seen[y] ?? NaN] as const)
    .filter((point) => point.every(Number.isFinite))
    .sort(([a], [b]) => a - b)
}
