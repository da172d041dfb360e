const anyText = Symbol('*')
const anyCharacter = Symbol('?')
type Part = string | typeof anyText | typeof anyCharacter

/** Whether a name matches a pattern: `*` stands for any text, `?` for one character, `\` has the next one mean itself. */
export function matcherOf(pattern: string): (name: string) => boolean {
  const parts = partsOf(pattern)
  return (name) => matches(parts, Array.from(name))
}

function partsOf(pattern: string): Part[] {
  const parts: Part[] = []
  const characters = Array.from(pattern)
  for (let i = 0; i < characters.length; i += 1) {
    const character = characters[i] ?? ''
    if (character === '*') parts.push(anyText)
    else if (character === '?') parts.push(anyCharacter)
    // At the end a backslash means itself.
    else if (character === '\\') parts.push(characters[(i += 1)] ?? character)
    else parts.push(character)
  }
  return parts
}

/**
 * A mismatch lengthens only the text of the last `*`: what an earlier one could take, it can take too. So this needs at most one
 * step for each pair of a part and a character. A RegExp would try all combinations.
 */
function matches(parts: readonly Part[], characters: readonly string[]): boolean {
  let part = 0
  let at = 0
  let retry: { readonly part: number; readonly at: number } | undefined
  while (at < characters.length) {
    const wanted = parts[part]
    if (wanted === anyText) {
      part += 1
      retry = { part, at }
    } else if (wanted === anyCharacter || wanted === characters[at]) {
      part += 1
      at += 1
    } else {
      if (!retry) return false
      retry = { ...retry, at: retry.at + 1 }
      part = retry.part
      at = retry.at
    }
  }
  return parts.slice(part).every((rest) => rest === anyText)
}
