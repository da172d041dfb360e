/**
 * Characters that move a cursor, change how the text around them looks, or cannot be told from nothing or from a plain space: controls,
 * formatting and default-ignorable characters (marks that turn the direction of writing around, joins, tags, fillers), lone
 * surrogates, private and unassigned ones, line separators, spaces but the one of ASCII, the blank of Braille.
 */
export const invisible =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/gu

/** A piece of a name: text as it is, or the number of a character that cannot be seen. */
export interface NamePiece {
  readonly text: string
  readonly isEscaped: boolean
}

function escapeOf(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex}`
}

/** Splits a name into what can be shown as it is, and escapes such as `\u202e` for what cannot. */
export function piecesOf(name: string): NamePiece[] {
  const pieces: NamePiece[] = []
  let end = 0
  for (const { 0: character, index } of name.matchAll(invisible)) {
    if (index > end) pieces.push({ text: name.slice(end, index), isEscaped: false })
    pieces.push({ text: escapeOf(character), isEscaped: true })
    end = index + character.length
  }
  if (end < name.length) pieces.push({ text: name.slice(end), isEscaped: false })
  return pieces
}

/** The name on one line, with escapes for what cannot be seen: what a person can read, and type. */
export const visibleName = (name: string): string =>
  piecesOf(name)
    .map(({ text }) => text)
    .join('')
