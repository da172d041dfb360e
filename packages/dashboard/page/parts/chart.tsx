import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { withBreaks } from '../../src/shared/points.js'
import { formatTime } from '../format.js'

export interface Series {
  readonly title: string
  /** The custom property of the style sheet that has its colour. */
  readonly colour: string
  readonly values: readonly (number | null)[]
  readonly format: (value: number | null) => string
}

interface ChartProps {
  readonly title: string
  /** Milliseconds since 1970, ascending. */
  readonly at: readonly number[]
  /** How far apart points are as a rule. */
  readonly everyMs: number
  readonly series: readonly Series[]
}

const height = 150
/** The axis is at least this long, so that the first points do not jump about. */
const shortestSpanMs = 60_000

/** Lines over time, broken where nothing was read. The legend says each line's last value, or the value under the pointer. */
export function Chart({ title, at, everyMs, series }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const [pointed, setPointed] = useState<number | null>(null)
  const isDark = useScheme()
  const points = withBreaks(at, everyMs)
  const valueAt = (values: Series['values'], i: number): number | null =>
    values[points[i]?.index ?? -1] ?? null
  const data: uPlot.AlignedData = [
    points.map((point) => point.at / 1_000),
    ...series.map(({ values }) => points.map((_, i) => valueAt(values, i))),
  ]
  const format = series[0]?.format ?? String

  useEffect(() => {
    const element = box.current
    if (!element) return
    const created = new uPlot(
      optionsFor(element, series, format, (i) => setPointed(i ?? null)),
      data,
      element,
    )
    plot.current = created
    const sizes = new ResizeObserver(() => created.setSize({ width: element.clientWidth, height }))
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      created.destroy()
      plot.current = null
    }
    // Colours are read once, when the plot is made.
  }, [isDark])

  useEffect(() => plot.current?.setData(data), [at])

  const last = points.length - 1
  const shown = pointed !== null && pointed <= last ? pointed : last
  const shownAt = points[shown]?.at
  const legend = series.map(
    ({ title: name, values, format: say }) => `${name}: ${say(valueAt(values, shown))}`,
  )
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        <span class="legend">
          {pointed !== null && shownAt !== undefined && <time>{formatTime(shownAt)}</time>}
          {series.map(({ title: name, colour }, i) => (
            <span key={name} class={`key ${colour}`}>
              {legend[i]}
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={box} class="plot" role="img" aria-label={`${title} over time. ${legend.join(', ')}`} />
    </figure>
  )
}

function optionsFor(
  element: HTMLElement,
  series: readonly Series[],
  format: (value: number) => string,
  point: (i: number | null | undefined) => void,
): uPlot.Options {
  const styles = getComputedStyle(element)
  const colourOf = (name: string): string => styles.getPropertyValue(`--${name}`).trim()
  const axis: uPlot.Axis = {
    stroke: colourOf('quiet'),
    font: `11px ${styles.fontFamily}`,
    grid: { stroke: colourOf('line'), width: 1 },
    ticks: { show: false },
  }
  return {
    width: element.clientWidth || 300,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: { range: (_, from, to) => [Math.min(from, to - shortestSpanMs / 1_000), to] },
      y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] },
    },
    axes: [
      {
        ...axis,
        size: 24,
        gap: 4,
        space: 90,
        values: (_, splits) => splits.map((seconds) => formatTime(seconds * 1_000)),
      },
      { ...axis, size: 56, gap: 6, space: 32, values: (_, splits) => splits.map((value) => format(value)) },
    ],
    series: [
      {},
      ...series.map(({ title, colour }) => ({
        label: title,
        stroke: colourOf(colour),
        width: 1.5,
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [({ cursor }) => point(cursor.idx)] },
  }
}

/** Whether the page is dark now. */
function useScheme(): boolean {
  const [query] = useState(() => matchMedia('(prefers-color-scheme: dark)'))
  const [isDark, setIsDark] = useState(query.matches)
  useEffect(() => {
    const follow = (): void => setIsDark(query.matches)
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [query])
  return isDark
}
