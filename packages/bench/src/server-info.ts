import { withRedis } from '@holdfast/testkit'

/** The numbers of these names from INFO; NaN for those that the server does not report. */
export async function serverNumbers<Name extends string>(
  url: string,
  ...names: readonly Name[]
): Promise<Record<Name, number>> {
  const text = await withRedis(url, (redis) => redis.info('all'))
  const fields = new Map(text.split('\r\n').map((line) => splitOnce(line)))
  const entries = names.map((name) => [name, Number(fields.get(name) ?? NaN)])
  // Object.fromEntries does not preserve the type of the names.
  return Object.fromEntries(entries) as Record<Name, number>
}

/** How often clients sent a script. Calls inside scripts are counted under other commands. */
export async function scriptsSent(url: string): Promise<number> {
  const text = await withRedis(url, (redis) => redis.info('commandstats'))
  return ['evalsha', 'eval'].reduce((sum, name) => sum + callsOf(text, name), 0)
}

/** How long scripts ran at the server, in microseconds. */
export async function scriptUs(url: string): Promise<number> {
  const text = await withRedis(url, (redis) => redis.info('commandstats'))
  const usOf = (name: string): number =>
    Number(new RegExp(`^cmdstat_${name}:calls=\\d+,usec=(\\d+)`, 'm').exec(text)?.[1] ?? 0)
  return usOf('evalsha') + usOf('eval')
}

const callsOf = (text: string, name: string): number =>
  Number(new RegExp(`^cmdstat_${name}:calls=(\\d+)`, 'm').exec(text)?.[1] ?? 0)

const splitOnce = (line: string): [string, string] => {
  const at = line.indexOf(':')
  return [line.slice(0, at), line.slice(at + 1)]
}
