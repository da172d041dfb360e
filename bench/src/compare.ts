import { median } from 'simple-statistics'
import type { Figure, Seen } from './scenario.js'

/** A line of the table that is to be measured. */
export interface Subject {
  readonly of: string
  readonly at: Figure['at']
  measure(): Promise<Seen>
  /** What is seen in a pass of its own, since counting slows a server down. */
  count?(): Promise<Seen>
}

/**
 * Measures every subject once per round, in an order that rotates by one each round, and takes the medians.
 * So a slow moment of the machine affects all alike, and none is always first.
 */
export async function compare(rounds: number, subjects: readonly Subject[]): Promise<Figure[]> {
  const seen = new Map<Subject, Seen[]>(subjects.map((subject) => [subject, []]))
  for (let round = 0; round < rounds; round += 1) {
    const first = round % Math.max(1, subjects.length)
    for (const subject of [...subjects.slice(first), ...subjects.slice(0, first)])
      seen.get(subject)?.push(await subject.measure())
  }
  const figures: Figure[] = []
  for (const [subject, several] of seen) {
    const { of, at } = subject
    figures.push({ of, at, seen: { ...mediansOf(several), ...(await subject.count?.()) } })
  }
  return figures
}

export function mediansOf(several: readonly Seen[]): Seen {
  const names = [...new Set(several.flatMap((seen) => Object.keys(seen)))]
  return Object.fromEntries(names.map((name) => [name, median(several.flatMap((seen) => seen[name] ?? []))]))
}
