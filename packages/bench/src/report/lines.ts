import type { EChartsOption, LineSeriesOption } from 'echarts'
import { draw } from './draw.js'
import { style } from './style.js'

export interface Line {
  readonly name: string
  readonly colour: string
  /** Goals and floors are dashed: they are references, not results. */
  readonly isDashed: boolean
  readonly points: readonly (readonly [x: number, y: number])[]
}

export interface Panel {
  readonly yTitle: string
  readonly y: 'log' | 'value'
  readonly lines: readonly Line[]
}

export interface LineChart {
  readonly title: string
  readonly subtitle: string
  readonly xTitle: string
  /** Side by side, over the same conditions. */
  readonly panels: readonly Panel[]
}

const plotHeight = 276
const legendTop = 66
const legendRow = 40
const legendGap = 26
const bottom = 56
const left = 74
const between = 84
const right = 24

/** Lines over conditions that grow by factors: each measured condition gets an equal step on the axis. */
export function drawLines({ title, subtitle, xTitle, panels }: LineChart): string {
  const width = (style.width - left - right - between * (panels.length - 1)) / panels.length
  const allLines = panels.flatMap(({ lines }) => lines)
  const conditions = [...new Set(allLines.flatMap(({ points }) => points.map(([x]) => x)))].sort(
    (a, b) => a - b,
  )
  const names = [...new Set(allLines.map(({ name }) => name))]
  const top = legendTop + legendRows(names) * legendRow + 12
  const option: EChartsOption = {
    legend: {
      top: legendTop,
      left: left - 6,
      right,
      itemWidth: 26,
      itemGap: legendGap,
      textStyle: { color: style.ink, fontSize: 13 },
      data: names,
    },
    grid: panels.map((_, n) => ({ left: left + n * (width + between), width, top, bottom })),
    xAxis: panels.map((_, gridIndex) => ({
      gridIndex,
      type: 'category',
      data: conditions.map((x) => x.toLocaleString('en')),
      name: xTitle,
      nameLocation: 'middle',
      nameGap: 34,
      nameTextStyle: { color: style.ink, fontSize: 13 },
      axisLine: { lineStyle: { color: style.faintInk } },
      axisLabel: { color: style.faintInk, fontSize: 12 },
      axisTick: { show: false },
    })),
    yAxis: panels.map(({ yTitle, y }, gridIndex) => ({
      gridIndex,
      type: y,
      name: yTitle,
      nameLocation: 'middle',
      nameGap: 54,
      nameTextStyle: { color: style.ink, fontSize: 13 },
      axisLabel: { color: style.faintInk, fontSize: 12, formatter: axisNumber },
      splitLine: { lineStyle: { color: style.grid } },
    })),
    series: panels.flatMap(({ lines }, n) => lines.map((line) => seriesOf(line, conditions, n))),
  }
  return draw({ title, subtitle, height: top + plotHeight + bottom, option })
}

/** How many rows the legend takes: names wrap, and the plot starts below them. */
function legendRows(names: readonly string[]): number {
  const room = style.width - left - right
  let rows = 1
  let used = 0
  for (const name of names) {
    const width = 26 + 5 + 7.5 * name.length + legendGap
    if (used + width > room) {
      rows += 1
      used = 0
    }
    used += width
  }
  return rows
}

/** Logarithmic axes have labels such as 0.001, which a fixed number of decimals would drop. */
const axisNumber = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 })

function seriesOf(
  { name, colour, isDashed, points }: Line,
  conditions: readonly number[],
  panel: number,
): LineSeriesOption {
  return {
    name,
    type: 'line',
    xAxisIndex: panel,
    yAxisIndex: panel,
    data: points.map(([x, y]) => [conditions.indexOf(x), y]),
    color: colour,
    symbol: name === 'Holdfast' ? 'circle' : 'emptyCircle',
    symbolSize: name === 'Holdfast' ? 8 : 6,
    lineStyle: { width: name === 'Holdfast' ? 3 : 2, type: isDashed ? 'dashed' : 'solid' },
    // On top of the others, or a goal that is met would be hidden.
    z: isDashed ? 5 : name === 'Holdfast' ? 4 : 3,
    silent: true,
  }
}
