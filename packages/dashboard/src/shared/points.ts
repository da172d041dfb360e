import type { Update } from './payloads.js'

interface Point {
  readonly at: number
}

/** What an update adds to the charts of its page. */
export const pointsOf = ({ content, samples }: Pick<Update, 'content' | 'samples'>): readonly Point[] =>
  content?.page === 'lock' ? content.queueLengths : samples

/** Points that are so many intervals apart have something between them that was not seen. */
const unseenAfter = 4

/** When the points of a chart were read, with one more where nothing was read for a while: its index is `null`, and it breaks the lines. */
export function withBreaks(
  at: readonly number[],
  everyMs: number,
): { readonly at: number; readonly index: number | null }[] {
  return at.flatMap((each, index) => {
    const previous = at[index - 1] ?? each
    const point = { at: each, index }
    return each - previous > unseenAfter * everyMs
      ? [{ at: previous + everyMs, index: null }, point]
      : [point]
  })
}
