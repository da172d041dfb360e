/** What two stores call the same thing by different numbers. */
export interface Names {
  /** The properties that have such numbers. */
  readonly keys: readonly string[]
  nameOf(number: number): string | number
}

/** What may differ. */
export interface Likeness {
  readonly names: readonly [left: Names, right: Names]
  readonly areNear: (leftMs: number, rightMs: number) => boolean
}

/** How far apart two times may be: what a server's own clock may move on during a sequence. */
const toleranceMs = 10_000

/** @param part - of a time, by which it may differ as well */
export const within =
  (part = 0) =>
  (leftMs: number, rightMs: number): boolean =>
    Math.abs(leftMs - rightMs) <= toleranceMs + part * Math.abs(leftMs)

/** Properties that are times from now on. The others in milliseconds are what was asked for. */
const times = ['leftMs', 'queueMs', 'fenceMs', 'ttlMs', 'aliveMs']

/** What only one of the stores has to show. */
const unseen = ['serverUs', 'ended']

/** Where two observations differ, or nothing. */
export function differenceBetween(
  left: unknown,
  right: unknown,
  likeness: Likeness,
  path = '',
): string | undefined {
  const key = path.slice(path.lastIndexOf('.') + 1)
  if (unseen.includes(key)) return undefined
  if (typeof left === 'number' && typeof right === 'number') {
    return areSame(key, left, right, likeness) ? undefined : `${path}: ${left} and ${right}`
  }
  if (!isObject(left) || !isObject(right)) {
    return left === right ? undefined : `${path}: ${JSON.stringify(left)} and ${JSON.stringify(right)}`
  }
  for (const each of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const found = differenceBetween(left[each], right[each], likeness, `${path}.${each}`)
    if (found !== undefined) return found
  }
  return undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function areSame(key: string, left: number, right: number, { names, areNear }: Likeness): boolean {
  const [ours, theirs] = names
  if (ours.keys.includes(key)) return ours.nameOf(left) === theirs.nameOf(right)
  return times.includes(key) ? areNear(left, right) : left === right
}

/** What a comparison throws, with the steps as far as the one that made the difference. */
export function differs(difference: string, left: unknown, right: unknown, steps: readonly unknown[]): Error {
  const story = steps.map((step, i) => `${String(i + 1).padStart(3)}  ${JSON.stringify(step)}`)
  const both = `\n  store      ${JSON.stringify(left)}\n  reference  ${JSON.stringify(right)}`
  return new Error(`step ${steps.length} differs in ${difference}${both}\n${story.join('\n')}`)
}
