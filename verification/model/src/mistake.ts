import type { Promised } from './explore/problem.js'
import type { Bounds } from './explore/state.js'

/** A mistake in the texts of a program, and the promise that it breaks first. */
export interface Mistake<Name> extends Replacement<Name> {
  readonly breaks: Promised
  readonly bounds: Bounds
}

/** How a mistake is made. */
export interface Replacement<Name> {
  readonly mistake: string
  /** The text to change; all that contain `from` when not given. */
  readonly only?: Name
  readonly from: string
  readonly to: string
}

/** Makes a mistake. Throws when no text contains what it replaces, so that no mistake outlives the code it breaks. */
export function withMistake<Name>(
  texts: ReadonlyMap<Name, string>,
  { mistake, only, from, to }: Replacement<Name>,
): ReadonlyMap<Name, string> {
  const changed = new Map(texts)
  for (const [name, text] of texts) {
    if (only === undefined || only === name) changed.set(name, text.replaceAll(from, to))
  }
  if ([...texts].every(([name, text]) => changed.get(name) === text)) {
    throw new Error(`nothing contains what "${mistake}" replaces`)
  }
  return changed
}
