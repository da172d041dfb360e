import { median } from 'simple-statistics'

/** The values of one measurement, by name with unit. */
export type Seen = Record<string, number>

/**
 * Measures every subject once per round, in an order that rotates by one each round, and returns the medians.
 * So a slow moment of the machine affects all alike, and none is always first.
 */
export async function interleaved<T>(
  subjects: readonly T[],
  rounds: number,
  measure: (subject: T) => Promise<Seen>,
): Promise<Map<T, Seen>> {
  const all = new Map<T, Seen[]>(subjects.map((subject) => [subject, []]))
  for (let round = 0; round < rounds; round += 1) {
    const first = round % Math.max(1, subjects.length)
    for (const subject of [...subjects.slice(first), ...subjects.slice(0, first)]) {
      all.get(subject)?.push(await measure(subject))
    }
  }
  return new Map([...all].map(([subject, several]) => [subject, mediansOf(several)]))
}

export function mediansOf(several: readonly Seen[]): Seen {
  const names = [...new Set(several.flatMap((seen) => Object.keys(seen)))]
  return Object.fromEntries(names.map((name) => [name, median(several.flatMap((seen) => seen[name] ?? []))]))
}
