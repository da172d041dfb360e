/** The name that was probably meant: a misspelling is at most two letters off, and a forgotten unit leaves a prefix. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const wanted = given.toLowerCase()
  const within = (most: number): string | undefined =>
    names.find((name) => isWithin(wanted, name.toLowerCase(), most))
  const withStem = (): string | undefined =>
    names.find((name) => {
      const stem = name.replace(/Ms$/, '').toLowerCase()
      return stem.startsWith(wanted) || wanted.startsWith(stem)
    })
  return within(1) ?? withStem() ?? within(2)
}

/** Whether at most this many letters have to be inserted, deleted or replaced to get from one to the other. */
function isWithin(a: string, b: string, most: number): boolean {
  if (a === '' || b === '') return a.length + b.length <= most
  const [restA, restB] = [a.slice(1), b.slice(1)]
  if (a.startsWith(b.charAt(0))) return isWithin(restA, restB, most)
  if (most === 0) return false
  return isWithin(restA, restB, most - 1) || isWithin(restA, b, most - 1) || isWithin(a, restB, most - 1)
}
