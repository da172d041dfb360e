// Usage: node scripts/draw-dashboard.mjs <Prometheus URL> <from> <to> <file.svg>
// Draws the panels of observability/grafana-dashboard.json, into observability/: asks a Prometheus for each panel's own
// queries between two Unix times. It is not Grafana, but shows the same series.
import { readFileSync, writeFileSync } from 'node:fs'
import { root } from './lib/workspace.mjs'

const [url, from, to, file] = process.argv.slice(2)
if (!file) throw new Error('node scripts/draw-dashboard.mjs <Prometheus URL> <from> <to> <file.svg>')

const { panels } = JSON.parse(readFileSync(`${root}observability/grafana-dashboard.json`, 'utf8'))
const colours = ['#0969da', '#d1570c', '#1a7f37', '#8250df', '#cf222e', '#7d2d68', '#57606a']
/** One of Grafana's 24 columns, and one row. */
const cell = { x: 50, y: 30 }
const pad = { left: 52, right: 12, top: 34, bottom: 40 }

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** The series of one query, each with its legend and points. */
async function evaluate({ expr, legendFormat }) {
  const query = expr.replaceAll('$__rate_interval', '15s').replaceAll('$job', '.*')
  const parameters = new URLSearchParams({ query, start: from, end: to, step: '1' })
  const reply = await fetch(`${url}/api/v1/query_range?${parameters}`)
  const { status, error, data } = await reply.json()
  if (status !== 'success') throw new Error(`${query}: ${error}`)
  return data.result.map(({ metric, values }) => ({
    legend: legendFormat.replace(/{{(\w+)}}/g, (_, label) => metric[label] ?? ''),
    points: values.map(([at, value]) => [at, Number(value)]),
  }))
}

const units = {
  s: (value) => (value >= 1 ? `${+value.toFixed(1)} s` : `${+(value * 1000).toFixed(1)} ms`),
  percentunit: (value) => `${Math.round(value * 100)} %`,
  ops: (value) => `${+value.toFixed(1)}/s`,
  short: (value) => String(+value.toFixed(1)),
}

function drawPanel({ title, gridPos, fieldConfig: { defaults } }, series) {
  const [x, y, width, height] = [
    gridPos.x * cell.x,
    gridPos.y * cell.y,
    gridPos.w * cell.x,
    gridPos.h * cell.y,
  ]
  const [plotWidth, plotHeight] = [width - pad.left - pad.right, height - pad.top - pad.bottom]
  const shown = series.filter(({ points }) =>
    points.some(([, value]) => Number.isFinite(value) && value !== 0),
  )
  const highest = Math.max(
    ...shown.flatMap(({ points }) => points.map(([, v]) => (Number.isFinite(v) ? v : 0))),
    0,
  )
  const top = defaults.max ?? (highest * 1.1 || 1)
  const at = (time, value) => [
    pad.left + ((time - from) / (to - from)) * plotWidth,
    pad.top + plotHeight * (1 - Math.min(value, top) / top),
  ]
  const text = (atX, atY, words, more = '') =>
    `<text x="${atX.toFixed(1)}" y="${atY.toFixed(1)}" ${more}>${escaped(words)}</text>`
  const line = ({ points }, i) => {
    let pen = 'M'
    const path = points.map(([time, value]) => {
      if (!Number.isFinite(value)) {
        pen = 'M'
        return ''
      }
      const [px, py] = at(time, value)
      const step = `${pen}${px.toFixed(1)} ${py.toFixed(1)}`
      pen = 'L'
      return step
    })
    return `<path d="${path.join('')}" fill="none" stroke="${colours[i % colours.length]}" stroke-width="1.4"/>`
  }
  const grid = [0, 0.5, 1].map((share) => {
    const [, py] = at(from, top * share)
    const label = text(
      pad.left - 6,
      py + 3,
      units[defaults.unit](top * share),
      'text-anchor="end" class="small"',
    )
    return `<path d="M${pad.left} ${py.toFixed(1)}h${plotWidth}" stroke="#d0d7de"/>${label}`
  })
  const threshold = (defaults.thresholds?.steps ?? []).flatMap(({ value }) => {
    if (value === null) return []
    const [, py] = at(from, value)
    return [`<path d="M${pad.left} ${py.toFixed(1)}h${plotWidth}" stroke="#cf222e" stroke-dasharray="4 3"/>`]
  })
  let legendX = pad.left
  const legend = shown.map(({ legend: words }, i) => {
    const mark = `<rect x="${legendX}" y="${height - 22}" width="9" height="9" fill="${colours[i % colours.length]}"/>`
    const label = text(legendX + 13, height - 14, words, 'class="small"')
    legendX += 26 + words.length * 6.2
    return mark + label
  })
  if (shown.length === 0) legend.push(text(pad.left, height - 14, 'always 0', 'class="small"'))
  return [
    `<g transform="translate(${x} ${y})">`,
    `<rect x="3" y="3" width="${width - 6}" height="${height - 6}" rx="4" fill="#fff" stroke="#d0d7de"/>`,
    text(14, 22, title, 'class="title"'),
    ...grid,
    ...threshold,
    ...shown.map(line),
    ...legend,
    '</g>',
  ].join('\n')
}

const drawn = []
for (const panel of panels) {
  const series = (await Promise.all(panel.targets.map(evaluate))).flat()
  drawn.push(drawPanel(panel, series))
}
const bottom = Math.max(...panels.map(({ gridPos }) => (gridPos.y + gridPos.h) * cell.y))
const style =
  'text{font:12px system-ui,Helvetica,Arial,sans-serif;fill:#1f2328}.title{font-weight:600}.small{font-size:10.5px;fill:#59636e}'
writeFileSync(
  file,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${24 * cell.x} ${bottom}" role="img">\n<style>${style}</style>\n` +
    `<rect width="100%" height="100%" fill="#f6f8fa"/>\n${drawn.join('\n')}\n</svg>\n`,
)
