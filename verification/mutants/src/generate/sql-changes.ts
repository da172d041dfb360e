import { said, type Change } from './mutant.js'
import { piecesOf } from './sql-statements.js'
import { sqlTokens, type Token } from './sql-tokens.js'

const swapped: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '=': '<>',
  '<>': '=',
  and: 'or',
  or: 'and',
  greatest: 'least',
  least: 'greatest',
  min: 'max',
  max: 'min',
}

/** Between instants these differ in a microsecond, in which either answer is right. */
const bounds = new Set(['<', '<=', '>', '>='])

/** What follows the expression of an `order by`. */
const orderEnds = new Set(['limit', 'for', 'loop', ';'])

/**
 * The mistakes in the body of a function: a condition is negated, a comparison or connective swapped, a `not` added or left
 * out, an order reversed, a statement dropped. Some are no SQL. What refuses bad arguments is left as it is, and whether an instant
 * that has just come is over.
 */
export function sqlChanges(sql: string): Change[] {
  const changes: Change[] = []
  const tokens = sqlTokens(sql)
  const start = tokens.findIndex(({ text }) => text.startsWith('$')) + 1
  const guards = guardsIn(tokens)
  const at = (i: number): Token | undefined => tokens[i]
  const textOf = (from: number, to: number): string => sql.slice(at(from)?.from, at(to - 1)?.to)
  const change = (what: string, [from, to]: readonly [number, number], text: string, shown = text): void => {
    const [first, last] = [at(from), at(to - 1)]
    if (!first || !last || guards.some((guard) => from >= guard.from && from < guard.to)) return
    changes.push({ what: said(what, shown), from: first.from, to: last.to, text })
  }
  const around = (i: number): string => textOf(Math.max(i - 1, start), Math.min(i + 2, tokens.length))

  for (const { kind, from, to } of piecesOf(tokens, start)) {
    const text = textOf(from, to)
    if (kind === 'statement') change('drop', [from, to], '', text)
    else change('negate', [from, to], `not (${text})`, text)
  }
  tokens.forEach(({ kind, text, depth }, i) => {
    if (i < start || kind === 'text') return
    const other = swapped[text]
    const next = at(i + 1)?.text
    const isLeft = (text === '=' && isAssignment(tokens, i)) || (bounds.has(text) && isOfInstants(tokens, i))
    if (other !== undefined && !isLeft) change('swap', [i, i + 1], other, around(i))
    if (text === 'not') change('leave out', [i, i + 1], '', around(i))
    if (text === 'is' && next !== 'not') change('reverse', [i, i + 1], 'is not', around(i))
    if (text === 'exists' && at(i - 1)?.text !== 'not') change('reverse', [i, i + 1], 'not exists', around(i))
    if (text !== 'by' || at(i - 1)?.text !== 'order') return
    const isEnd = (each: Token): boolean =>
      each.depth < depth || (each.depth === depth && orderEnds.has(each.text))
    const end = tokens.findIndex((each, n) => n > i && isEnd(each))
    if (end !== -1) change('reverse', [i, end], `${textOf(i, end)} desc`, textOf(i - 1, end))
  })
  return changes
}

const isOfInstants = (tokens: readonly Token[], i: number): boolean =>
  [tokens[i - 1], tokens[i + 1]].some((each) => each?.text === 'now_us')

/** What an equals sign that compares comes after, and one that assigns. */
const comparesAfter = new Set(['where', 'on', 'if', 'elsif', 'when', 'case', 'select', 'while', ';', ':='])
const assignsAfter = new Set(['set', 'diagnostics'])

function isAssignment(tokens: readonly Token[], i: number): boolean {
  const depth = tokens[i]?.depth ?? 0
  const before = tokens
    .slice(0, i)
    .reverse()
    .find((each) => each.depth <= depth && (comparesAfter.has(each.text) || assignsAfter.has(each.text)))
  return before?.depth === depth && assignsAfter.has(before.text)
}

/** Where arguments are refused: `if … then raise … end if`. Steps never pass such. */
function guardsIn(tokens: readonly Token[]): { from: number; to: number }[] {
  return tokens.flatMap(({ text, depth }, from) => {
    if (text !== 'raise' || tokens[from - 1]?.text !== 'then') return []
    let start = from
    while (start > 0 && !(tokens[start]?.text === 'if' && tokens[start]?.depth === depth)) start--
    const to = tokens.findIndex((each, i) => i > from && each.text === 'end')
    return [{ from: start, to }]
  })
}
