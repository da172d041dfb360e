import { init, type EChartsOption } from 'echarts'
import { look } from './look.js'

export interface Drawing {
  readonly title: string
  readonly subtitle: string
  readonly height: number
  readonly option: EChartsOption
}

/** Draws a chart as SVG. The same chart always gives the same text. */
export function draw({ title, subtitle, height, option }: Drawing): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: look.width, height })
  try {
    chart.setOption({
      animation: false,
      backgroundColor: look.ground,
      textStyle: { fontFamily: look.font, color: look.ink },
      title: {
        text: title,
        subtext: subtitle,
        left: 16,
        top: 12,
        itemGap: 6,
        textStyle: { color: look.ink, fontSize: 17, fontWeight: 600 },
        subtextStyle: { color: look.faintInk, fontSize: 13 },
      },
      ...option,
    })
    return stable(chart.renderToSVGString())
  } finally {
    chart.dispose()
  }
}

/** Classes serve hovering only, and ids count the charts of this process. */
function stable(svg: string): string {
  const still = svg
    .replaceAll(/ class="zr\d+-cls-\d+"/g, '')
    .replaceAll(/<style\s*>.*?<\/style>\s*/gs, '')
    .replaceAll(/\bzr\d+-/g, 'zr-')
  return `${still.trimEnd()}\n`
}
