import type { Finding } from '@holdfast/core/engine'
import { onVotes } from '../../sessions/index.js'
import type { Acl } from '../options.js'

/** An election takes a few seconds at most, and a session has to outlast it. */
const shortMs = 10_000

const inSeconds = (ms: number): string => `${ms / 1_000} s`

/** What the servers grant when a client wants the shortest session, the longest one, and one of its own length. */
export interface SessionBounds {
  readonly shortestMs: number
  readonly longestMs: number
  readonly wantedMs: number
}

export function onSessions({ shortestMs, longestMs, wantedMs }: SessionBounds): Finding {
  const check = 'sessions'
  const bounds = `servers grant ${inSeconds(shortestMs)} to ${inSeconds(longestMs)}`
  if (wantedMs > longestMs) {
    const text = `clients want ${inSeconds(wantedMs)}, ${bounds}: holds end after ${inSeconds(longestMs)} without a reply; raise maxSessionTimeout, or lower watchdogTimeoutMs`
    return { check, status: 'warning', text }
  }
  if (wantedMs < shortestMs) {
    const text = `clients want ${inSeconds(wantedMs)}, ${bounds}: what a dead client holds is free only after ${inSeconds(shortestMs)}; lower minSessionTimeout`
    return { check, status: 'warning', text }
  }
  if (wantedMs < shortMs) {
    const text = `${inSeconds(wantedMs)}: an election or a pause may take as long, and holds are lost; from ${inSeconds(shortMs)} they outlast it`
    return { check, status: 'warning', text }
  }
  return { check, status: 'ok', text: `${inSeconds(wantedMs)}; ${bounds}` }
}

/** @param serverMs - as a server says it; `null`: it does not, and the shortest session is two ticks unless configured otherwise */
export function onTicks(tickMs: number, serverMs: number | null, shortestMs: number): Finding {
  const check = 'ticks'
  const likelyMs = serverMs ?? shortestMs / 2
  const source = serverMs === null ? 'half the shortest session' : 'tickTime'
  const text = `${inSeconds(likelyMs)} (${source}), clients take off ${inSeconds(tickMs)} (tickMs)`
  return likelyMs <= tickMs
    ? { check, status: 'ok', text }
    : { check, status: 'warning', text: `${text}: pass zookeeper({ tickMs: ${likelyMs} })` }
}

/** @param config - as the ensemble keeps it: a line for each server; '' of a server that runs alone */
export function onEnsemble(config: string): Finding {
  const servers = config.split('\n').filter((line) => line.startsWith('server.'))
  const observers = servers.filter((line) => /:observer(;|$)/.test(line)).length
  const votes = Math.max(1, servers.length - observers)
  const also = observers === 0 ? '' : ` and ${observers} that only observe`
  return onVotes('ensemble', votes, also)
}

/** What one of the servers that `connect` names says of itself. */
export interface ServerWord {
  readonly address: string
  /** `undefined`: it replied, and did not say. */
  readonly version: string | undefined
  readonly mode: string | undefined
  readonly isThere: boolean
}

export function onServers(servers: readonly ServerWord[]): Finding {
  const check = 'servers'
  const silent = servers.filter(({ isThere }) => !isThere).map(({ address }) => address)
  if (silent.length > 0) {
    return { check, status: 'warning', text: `no reply from ${silent.join(', ')}` }
  }
  const said = servers.map(
    ({ address, mode = 'mode not said', version = 'version not said' }) => `${address} ${mode} ${version}`,
  )
  const text = said.join(', ')
  if (servers.some(({ version }) => version !== undefined && isOld(version))) {
    return { check, status: 'failed', text: `${text}: Holdfast needs 3.5 or later` }
  }
  return servers.every(({ version }) => version !== undefined)
    ? { check, status: 'ok', text }
    : { check, status: 'unknown', text: `${text} (srvr is not in 4lw.commands.whitelist)` }
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < 3 || (major === 3 && minor < 5)
}

/** @param lists - by path */
export function onAccess(lists: ReadonlyMap<string, readonly Acl[]>): Finding {
  const check = 'access list'
  const open = [...lists].filter(([, list]) => list.some(isOpen)).map(([path]) => path)
  if (open.length === 0) {
    return { check, status: 'ok', text: `nodes below ${[...lists.keys()][0] ?? ''} are not open to everyone` }
  }
  const text = `everyone who can connect may write ${open.join(', ')}, and so take any lock and remove any holder: pass zookeeper({ auth, acl }), and set the access list of these nodes (setAcl)`
  return { check, status: 'warning', text }
}

const isOpen = ({ scheme, id, permissions }: Acl): boolean =>
  scheme === 'world' && id === 'anyone' && /[wcda]/.test(permissions)

export const onNodeTypes = (hasTtl: boolean): Finding => ({
  check: 'node types',
  status: 'ok',
  text: `containers; TTL nodes are ${hasTtl ? 'on' : 'off (zookeeper.extendedTypesEnabled), and not needed'}`,
})
