/** Splits items by group, and each group into batches of at most `maxBatch`. */
export function* splitIntoBatches<T>(
  items: Iterable<T>,
  groupOf: (item: T) => string,
  maxBatch: number,
): Generator<T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groupOf(item)
    const members = groups.get(group)
    if (members === undefined) groups.set(group, [item])
    else members.push(item)
  }
  for (const members of groups.values()) {
    for (let start = 0; start < members.length; start += maxBatch)
      yield members.slice(start, start + maxBatch)
  }
}
