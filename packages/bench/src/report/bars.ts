import { draw } from './draw.js'
import { style } from './style.js'

export interface Bar {
  readonly name: string
  readonly colour: string
  readonly value: number
  /** At the end of the bar. */
  readonly label: string
}

export interface BarChart {
  readonly title: string
  readonly subtitle: string
  readonly xTitle: string
  readonly bars: readonly Bar[]
}

const top = 76
const bottom = 58
const barHeight = 30

/** Horizontal bars, so that names have room; the shortest on top. */
export function drawBars({ title, subtitle, xTitle, bars }: BarChart): string {
  const sorted = [...bars].sort((a, b) => a.value - b.value)
  return draw({
    title,
    subtitle,
    height: top + bottom + sorted.length * barHeight,
    option: {
      grid: { left: 190, right: 84, top, bottom },
      xAxis: {
        type: 'value',
        name: xTitle,
        nameLocation: 'middle',
        nameGap: 34,
        nameTextStyle: { color: style.ink, fontSize: 13 },
        axisLabel: { color: style.faintInk, fontSize: 12 },
        splitLine: { lineStyle: { color: style.grid } },
      },
      yAxis: {
        type: 'category',
        inverse: true,
        data: sorted.map(({ name }) => name),
        axisLabel: { color: style.ink, fontSize: 13 },
        axisLine: { lineStyle: { color: style.faintInk } },
        axisTick: { show: false },
      },
      series: [
        {
          type: 'bar',
          data: sorted.map(({ value, colour, label }) => ({
            value,
            itemStyle: { color: colour },
            label: { show: true, position: 'right', formatter: () => label, color: style.ink, fontSize: 13 },
          })),
          barCategoryGap: '30%',
          silent: true,
        },
      ],
    },
  })
}
