import type { EChartsOption, LineSeriesOption } from 'echarts'
import { draw } from './draw.js'
import { look } from './look.js'

export interface Line {
  readonly name: string
  readonly colour: string
  /** Goals and floors are dashed: they are not what is judged. */
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

/** Lines over conditions that grow by factors: each condition that was measured gets its own place on the axis. */
export function drawLines({ title, subtitle, xTitle, panels }: LineChart): string {
  const width = (look.width - left - right - between * (panels.length - 1)) / panels.length
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
      textStyle: { color: look.ink, fontSize: 13 },
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
      nameTextStyle: { color: look.ink, fontSize: 13 },
      axisLine: { lineStyle: { color: look.faintInk } },
      axisLabel: { color: look.faintInk, fontSize: 12 },
      axisTick: { show: false },
    })),
    yAxis: panels.map(({ yTitle, y }, gridIndex) => ({
      gridIndex,
      type: y,
      name: yTitle,
      nameLocation: 'middle',
      nameGap: 54,
      nameTextStyle: { color: look.ink, fontSize: 13 },
      axisLabel: { color: look.faintInk, fontSize: 12, formatter: axisNumber },
      splitLine: { lineStyle: { color: look.grid } },
    })),
    series: panels.flatMap(({ lines }, n) => lines.map((line) => seriesOf(line, conditions, n))),
  }
  return draw({ title, subtitle, height: top + plotHeight + bottom, option })
}

/** How many rows a legend takes: names wrap, and the plot begins below them. */
function legendRows(names: readonly string[]): number {
  const room = look.width - left - right
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

/** Logarithmic axes ask for labels such as 0.001, which a fixed number of digits would lose. */
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
    // Over the others, or a goal that is met would not be seen.
    z: isDashed ? 5 : name === 'Holdfast' ? 4 : 3,
    silent: true,
  }
}
