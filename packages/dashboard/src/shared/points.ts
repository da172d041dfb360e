import type { Update } from './payloads.js'

interface Point {
  readonly at: number
}

/** What an update adds to the charts of its page. */
export const pointsOf = ({ content, samples }: Pick<Update, 'content' | 'samples'>): readonly Point[] =>
  content?.page === 'lock' ? content.queueLengths : samples
