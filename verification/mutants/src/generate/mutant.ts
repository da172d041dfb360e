/** One change of a text: `text` in place of what is between two offsets. */
export interface Change {
  readonly what: string
  readonly from: number
  readonly to: number
  readonly text: string
}

/** A source with one mistake in it. */
export interface Mutant {
  /** Stays when lines move: the file, what is done to which code, and which of several such places. */
  readonly id: string
  readonly file: string
  /** The whole changed file. */
  readonly source: string
}

const longest = 100

/** What is done to a piece of code, in one line. */
export function said(what: string, code: string): string {
  const line = code.trim().replace(/\s+/g, ' ')
  return `${what} "${line.length > longest ? `${line.slice(0, longest)}…` : line}"`
}

export function mutantsOf(file: string, source: string, changes: readonly Change[]): Mutant[] {
  const counts = new Map<string, number>()
  const known = new Set([source])
  const mutants: Mutant[] = []
  const inOrder = [...changes].sort((a, b) => a.from - b.from || a.to - b.to)
  for (const { what, from, to, text } of inOrder) {
    const changed = source.slice(0, from) + text + source.slice(to)
    const nth = (counts.get(what) ?? 0) + 1
    counts.set(what, nth)
    // Two operators may make the same text.
    if (known.has(changed)) continue
    known.add(changed)
    mutants.push({ id: `${file}: ${what}${nth === 1 ? '' : ` (${nth})`}`, file, source: changed })
  }
  return mutants
}
