import type { Token } from './sql-tokens.js'

/** A piece of a function's body, from one token to before another. */
export interface Piece {
  readonly kind: 'statement' | 'condition'
  readonly from: number
  readonly to: number
}

/** What a condition follows, and what it ends with. */
const ends: Readonly<Record<string, readonly string[]>> = {
  if: ['then'],
  elsif: ['then'],
  when: ['then', ';'],
  while: ['loop'],
}

const headers: Readonly<Record<string, string>> = {
  if: 'then',
  elsif: 'then',
  // Of the handler of an exception.
  when: 'then',
  for: 'loop',
  while: 'loop',
  declare: 'begin',
  end: ';',
}

/** Parts of a program that have nothing to end. */
const openers = new Set(['begin', 'else', 'loop', 'exception', 'then'])

/** The statements and the conditions of the body that begins with this token. */
export function piecesOf(tokens: readonly Token[], start: number): Piece[] {
  const pieces: Piece[] = []
  for (let at = start; at < tokens.length;) {
    const first = tokens[at]?.text ?? ''
    const depth = tokens[at]?.depth ?? 0
    const find = (from: number, texts: readonly string[]): number => {
      const found = tokens.findIndex(
        (each, i) => i >= from && each.depth === depth && texts.includes(each.text),
      )
      return found === -1 ? tokens.length : found
    }
    const header = headers[first]
    if (openers.has(first)) at += 1
    else if (header !== undefined) at = find(at + 1, [header]) + 1
    else {
      const end = find(at, [';'])
      if (end < tokens.length && first !== 'null') pieces.push({ kind: 'statement', from: at, to: end + 1 })
      at = end + 1
    }
  }
  tokens.forEach(({ text, depth }, i) => {
    const stops = i < start ? undefined : ends[text]
    if (!stops || (text === 'if' && tokens[i - 1]?.text === 'end')) return
    const to = tokens.findIndex((each, n) => n > i && each.depth === depth && stops.includes(each.text))
    if (to !== -1) pieces.push({ kind: 'condition', from: i + 1, to })
  })
  return pieces
}
