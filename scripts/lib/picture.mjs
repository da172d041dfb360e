/** Colours have a contrast of at least 4.5 on what is behind them, in both schemes. */
const style = `
  .paper { fill: #ffffff; }
  text { fill: #1f2328; }
  .quiet { fill: #59636e; }
  .holds { fill: #0969da; }
  .waits { fill: none; stroke: #59636e; stroke-dasharray: 4 4; }
  .box { fill: none; stroke: #59636e; }
  .broken { fill: #9a6700; }
  .on { fill: #ffffff; }
  .rule { stroke: #d1d9e0; }
  .mark { stroke: #1f2328; fill: none; }
  .head { fill: #1f2328; }
  .late { stroke: #cf222e; fill: none; }
  .lateHead, text.bad { fill: #cf222e; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117; }
    text { fill: #f0f6fc; }
    .quiet { fill: #9198a1; }
    .holds { fill: #1f6feb; }
    .waits, .box { stroke: #9198a1; }
    .rule { stroke: #3d444d; }
    .mark { stroke: #f0f6fc; }
    .head { fill: #f0f6fc; }
    .late { stroke: #ff7b72; }
    .lateHead, text.bad { fill: #ff7b72; }
  }
  text.on { fill: #ffffff; }`

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

export const text = (x, y, words, kind = '', anchor = 'start') =>
  `<text x="${x}" y="${y}"${kind && ` class="${kind}"`}${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}>${escaped(words)}</text>`

/** A rectangle with words in it: at its left, or in its middle. */
export function box(x, y, width, height, kind, words = '', isCentred = false) {
  const inside = kind === 'holds' || kind === 'broken' ? 'on' : 'quiet'
  const label =
    words &&
    text(
      isCentred ? x + width / 2 : x + 10,
      y + height / 2 + 5,
      words,
      inside,
      isCentred ? 'middle' : 'start',
    )
  return `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="4"/>${label}`
}

export const line = (x1, y1, x2, y2, kind = 'mark') =>
  `<line class="${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`

export function arrow(x1, y1, x2, y2, kind = 'mark') {
  const turn = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI
  const head = kind === 'late' ? 'lateHead' : 'head'
  return `${line(x1, y1, x2, y2, kind)}<path class="${head}" d="M0 0 -9 -4 -9 4Z" transform="translate(${x2} ${y2}) rotate(${turn.toFixed(1)})"/>`
}

/** An SVG for light and dark pages. What it shows is also said in words, for those who do not see it. */
export const picture = ({ title, description, width = 760, height, parts }) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description" font-family="system-ui, sans-serif" font-size="13">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(description)}</desc>
<style>${style}
</style>
<rect class="paper" width="${width}" height="${height}" rx="6"/>
${parts.flat(9).join('\n')}
</svg>
`
