import type { Renewable } from './renewable.js'

/** Splits items by group, and each group into batches of at most `maxBatch`. */
export function* splitIntoBatches<E extends { readonly item: Renewable }>(
  entries: Iterable<E>,
  maxBatch: number,
): Generator<E[]> {
  const groups = new Map<string, E[]>()
  for (const entry of entries) {
    const { group } = entry.item
    const members = groups.get(group)
    if (members === undefined) groups.set(group, [entry])
    else members.push(entry)
  }
  for (const members of groups.values()) {
    for (let start = 0; start < members.length; start += maxBatch)
      yield members.slice(start, start + maxBatch)
  }
}
