import { init, type EChartsOption } from 'echarts'
import { style } from './style.js'

export interface Drawing {
  readonly title: string
  readonly subtitle: string
  readonly height: number
  readonly option: EChartsOption
}

/** Renders a chart as SVG. The same chart always yields the same text. */
export function draw({ title, subtitle, height, option }: Drawing): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: style.width, height })
  try {
    chart.setOption({
      animation: false,
      backgroundColor: style.background,
      textStyle: { fontFamily: style.font, color: style.ink },
      title: {
        text: title,
        subtext: subtitle,
        left: 16,
        top: 12,
        itemGap: 6,
        textStyle: { color: style.ink, fontSize: 17, fontWeight: 600 },
        subtextStyle: { color: style.faintInk, fontSize: 13 },
      },
      ...option,
    })
    return stable(chart.renderToSVGString())
  } finally {
    chart.dispose()
  }
}

/** Removes what differs between runs: classes serve hovering only, and ids count the charts of this process. */
function stable(svg: string): string {
  const still = svg
    .replaceAll(/ class="zr\d+-cls-\d+"/g, '')
    .replaceAll(/<style\s*>.*?<\/style>\s*/gs, '')
    .replaceAll(/\bzr\d+-/g, 'zr-')
  return `${still.trimEnd()}\n`
}
