export interface Token {
  readonly kind: 'word' | 'text' | 'sign'
  readonly text: string
  readonly from: number
  readonly to: number
  /** How many parentheses and brackets it is in. */
  readonly depth: number
}

/** Strings, quoted names, and names with their table are one token each; comments are none. */
const pattern =
  /(?<skip>\s+|--.*)|(?<text>'(?:[^']|'')*')|(?<word>(?:"[^"]*"|[a-z_]\w*|\$\w*\$)(?:\.(?:"[^"]*"|\w+))*)|(?<number>\d+(?:\.\d+)?)|(?<sign>:=|::|<=|>=|<>|\|\||->>?|[^\s\w])/gi

export function sqlTokens(sql: string): Token[] {
  const tokens: Token[] = []
  let depth = 0
  for (const match of sql.matchAll(pattern)) {
    const { skip, word, sign } = match.groups ?? {}
    if (skip !== undefined) continue
    const [text] = match
    if (text === ')' || text === ']') depth--
    const kind = word !== undefined ? 'word' : sign !== undefined ? 'sign' : 'text'
    tokens.push({ kind, text, from: match.index, to: match.index + text.length, depth })
    if (text === '(' || text === '[') depth++
  }
  return tokens
}
