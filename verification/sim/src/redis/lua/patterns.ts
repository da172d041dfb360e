/** Patterns of Lua that have been translated. */
const translated = new Map<string, RegExp>()

const classes: Readonly<Record<string, string>> = {
  d: '0-9',
  s: ' \\t-\\r',
  w: '0-9A-Za-z',
  a: 'A-Za-z',
  l: 'a-z',
  u: 'A-Z',
  x: '0-9A-Fa-f',
}

/** A pattern of Lua as a regular expression that begins where its `lastIndex` is, or after it. Without what nobody uses: %b, %f and back references. */
export function patternOf(pattern: string): RegExp {
  const known = translated.get(pattern)
  if (known) return known
  const isAnchored = pattern.startsWith('^')
  let source = ''
  for (let at = isAnchored ? 1 : 0; at < pattern.length;) {
    const [text, length] = translate(pattern, at)
    source += text
    at += length
  }
  const expression = new RegExp(source, isAnchored ? 'sy' : 'sg')
  translated.set(pattern, expression)
  return expression
}

/** The item at that place, and how long it is there. */
function translate(pattern: string, at: number): readonly [text: string, length: number] {
  const char = pattern.charAt(at)
  switch (char) {
    case '%':
      return [classOf(pattern.charAt(at + 1), false), 2]
    case '[': {
      const end = pattern.indexOf(']', at + 2)
      const set = pattern
        .slice(at + 1, end)
        .replace(/%(.)|\\/g, (all: string, name: string | undefined) =>
          name === undefined ? `\\${all}` : classOf(name, true),
        )
      return [`[${set}]`, end + 1 - at]
    }
    case '-':
      return ['*?', 1]
    case '$':
      return [at === pattern.length - 1 ? '$' : '\\$', 1]
    case '.':
    case '*':
    case '+':
    case '?':
    case '(':
    case ')':
      return [char, 1]
    default:
      return [char.replace(/[\\^{}|/]/, '\\$&'), 1]
  }
}

function classOf(name: string, isInSet: boolean): string {
  const set = classes[name]
  if (set !== undefined) return isInSet ? set : `[${set}]`
  const opposite = classes[name.toLowerCase()]
  if (opposite !== undefined && !isInSet) return `[^${opposite}]`
  if (/[\w]/.test(name)) throw new Error(`a pattern with %${name} is not translated`)
  return `\\${name}`
}
