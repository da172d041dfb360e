import { withRedis } from '@holdfast/testkit/process'

/** The numbers of these names in the text of INFO; NaN for those that the server does not report. */
function numbersIn<Name extends string>(text: string, names: readonly Name[]): Record<Name, number> {
  const fields = new Map(text.split('\r\n').map((line) => [line.split(':', 1)[0], line]))
  const entries = names.map((name) => [name, Number(fields.get(name)?.slice(name.length + 1) ?? NaN)])
  // Object.fromEntries does not preserve the type of the names.
  return Object.fromEntries(entries) as Record<Name, number>
}

export const serverNumbers = async <Name extends string>(
  url: string,
  ...names: readonly Name[]
): Promise<Record<Name, number>> => numbersIn(await withRedis(url, (redis) => redis.info('all')), names)

/** How often clients sent a script, and how long scripts ran. Calls inside scripts are counted under other commands. */
export async function scriptsSent(url: string): Promise<{ calls: number; us: number }> {
  const text = await withRedis(url, (redis) => redis.info('commandstats'))
  const all = [...text.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+),usec=(\d+)/gm)]
  const sum = (group: number): number => all.reduce((total, found) => total + Number(found[group]), 0)
  return { calls: sum(1), us: sum(2) }
}
