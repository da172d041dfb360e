/** Commands that only run others, and those that the measurement itself sends. */
const ignored: ReadonlySet<string> = new Set([
  'eval',
  'evalsha',
  'echo',
  'info',
  'config',
  'config|resetstat',
])

/** How many commands ran according to INFO commandstats, inside scripts and outside. */
export function commandsIn(info: string): number {
  let sum = 0
  for (const [, name = '', calls] of info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm))
    if (!ignored.has(name)) sum += Number(calls)
  return sum
}
