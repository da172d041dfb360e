import type { ServerWord } from './greeting.js'

/** The first version with meta commands. */
const oldest = { major: 1, minor: 6 }

/**
 * Why a server cannot keep locks; `undefined`: it can. As the end of `memcached at a:11211 cannot be used: …`.
 *
 * @param mayEvict - locks that vanish to make room are accepted
 */
export function unfit({ version, settings }: ServerWord, mayEvict: boolean): string | undefined {
  if (/mcrouter/i.test(version))
    return `it is mcrouter (${version}), a proxy, which spreads keys over servers: ${directly}`
  const found = /^VERSION (\d+)\.(\d+)\./.exec(version)
  if (!found) return `it is not memcached, it replied ${JSON.stringify(version.slice(0, 80))} to version`
  const [major, minor] = [Number(found[1]), Number(found[2])]
  if (major < oldest.major || (major === oldest.major && minor < oldest.minor))
    return `it is ${version}, and Holdfast needs memcached 1.6 or later, or it is a proxy, which has other versions: ${directly}`
  if (settings.get('proxy_enabled') === 'yes')
    return `it runs in proxy mode, which spreads keys over servers: ${directly}`
  if (settings.size === 0) return `it does not reply to stats settings, as a proxy does not: ${directly}`
  if (settings.get('cas_enabled') === 'no')
    return 'it runs with -C, and without CAS ids it cannot keep locks: start it without -C'
  if (evicts(settings) && !mayEvict) return evicting
  return undefined
}

const directly = 'give the url of one memcached itself'

/** Whether it deletes what it was given, to make room. */
export const evicts = (settings: ReadonlyMap<string, string>): boolean => settings.get('evictions') !== 'off'

const evicting =
  "it deletes locks to make room for other data when it is full: start it with -M, or accept that by evictable: 'accepted'"
