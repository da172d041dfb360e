/** How many wildcards of a pattern MATCH keeps: on long keys, Redis's time grows with the power of their number. */
const keptWildcards = 1

/**
 * The MATCH for keys of objects whose names fit a pattern. It lets more keys pass than those, since names are compared where
 * they are read; it spares the network most of the others.
 *
 * @param head - what keys have before the name
 */
export function matchOf(head: string, pattern: string): string {
  const [start = '', ...others] = literalsOf(pattern)
  const kept = others.filter((literal) => literal !== '').slice(0, keptWildcards)
  return `*${[head + start, ...kept].map(escaped).join('*')}*`
}

/** What stands between the wildcards. `?` is one, too: in a pattern it is a character, in Redis a byte. */
function literalsOf(pattern: string): string[] {
  const literals: string[] = []
  let literal = ''
  let isEscaped = false
  for (const char of pattern) {
    if (!isEscaped && (char === '*' || char === '?')) {
      literals.push(literal)
      literal = ''
    } else if (isEscaped || char !== '\\') literal += char
    isEscaped = !isEscaped && char === '\\'
  }
  return [...literals, literal]
}

const escaped = (text: string): string => text.replace(/[*?[\]\\]/g, '\\$&')
