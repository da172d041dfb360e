import type { Finding } from '@holdfast/core/engine'
import { onVotes } from '../../sessions/index.js'
import { alarmNames, type Member, type ServerStatus } from '../wire/maintenance.js'

/** An election takes a second or two, and a session has to outlast it. */
const shortMs = 10_000
/** Where `--quota-backend-bytes` is not given. */
const usualQuotaBytes = 2 * 1024 ** 3
const fullShare = 0.8
/** A cluster that is younger may not have come to its first compaction. */
const youngRevisions = 10_000
/** A database that keeps more grows by hundreds of megabytes. */
const mostRevisions = 1_000_000

const inSeconds = (ms: number): string => `${ms / 1_000} s`
const inMegabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2).toLocaleString('en')} MiB`

/** @param grantedMs - what etcd grants for `wantedMs` */
export function onSessions(wantedMs: number, grantedMs: number, shortestMs: number): Finding {
  const check = 'sessions'
  const shortest = `the shortest that etcd grants is ${inSeconds(shortestMs)}`
  if (grantedMs > Math.ceil(wantedMs / 1_000) * 1_000) {
    const text = `clients want ${inSeconds(wantedMs)}, ${shortest}: what a dead client holds is free only after that; see --election-timeout`
    return { check, status: 'warning', text }
  }
  // The shortest one is one and a half election timeouts.
  const needsMs = Math.max(shortMs, 4 * shortestMs)
  if (wantedMs < needsMs) {
    const text = `${inSeconds(wantedMs)}: an election or a pause may take as long, and holds are lost; from ${inSeconds(needsMs)} they outlast it`
    return { check, status: 'warning', text }
  }
  return { check, status: 'ok', text: `${inSeconds(wantedMs)}; ${shortest}` }
}

export function onCluster(members: readonly Member[]): Finding {
  const votes = members.filter(({ isLearner }) => !isLearner).length
  const learners = members.length - votes
  const also = learners === 0 ? '' : ` and ${learners} that only learn`
  return onVotes('cluster', votes, also)
}

/** One of the servers that `hosts` names; without a status it did not reply, or may not say. */
export interface ServerWord {
  readonly host: string
  readonly status: ServerStatus | string
}

export function onServers(servers: readonly ServerWord[]): Finding {
  const check = 'servers'
  const silent = servers.flatMap(({ host, status }) => (typeof status === 'string' ? [{ host, status }] : []))
  if (silent.length > 0) {
    return { check, status: 'warning', text: silent.map(({ status }) => status).join('; ') }
  }
  const there = servers.flatMap(({ host, status }) => (typeof status === 'string' ? [] : [{ host, status }]))
  const said = there.map(({ host, status: { version, leaderId, serverId } }) =>
    leaderId === serverId ? `${host} leads, ${version}` : `${host} ${version}`,
  )
  const text = said.join('; ')
  if (new Set(there.map(({ status }) => status.clusterId)).size > 1) {
    const reason = 'these are not of one cluster: clients that use different ones do not exclude each other'
    return { check, status: 'failed', text: `${text}; ${reason}` }
  }
  const versions = there.map(({ status }) => status.version)
  if (versions.some((version) => isBefore(version, 3, 4, 0))) {
    return { check, status: 'failed', text: `${text}: Holdfast needs 3.4 or later` }
  }
  if (versions.some(hasLateRevocations)) {
    const reason = 'a leader that hung may end sessions that its successor renewed'
    return {
      check,
      status: 'warning',
      text: `${text}: before 3.4.31 and 3.5.13 ${reason} (etcd issue 15247)`,
    }
  }
  return { check, status: 'ok', text }
}

const hasLateRevocations = (version: string): boolean =>
  version.startsWith('3.5.') ? isBefore(version, 3, 5, 13) : isBefore(version, 3, 4, 31)

function isBefore(version: string, ...than: readonly number[]): boolean {
  const parts = version.split(/[.+-]/).map(Number)
  const at = than.findIndex((number, i) => (parts[i] ?? 0) !== number)
  return at >= 0 && (parts[at] ?? 0) < (than[at] ?? 0)
}

/** @param alarms - by their numbers */
export function onAlarms(alarms: readonly number[]): Finding {
  const check = 'alarms'
  const names = [...new Set(alarms)].map((alarm) => alarmNames[alarm] ?? String(alarm))
  if (names.length === 0) return { check, status: 'ok', text: 'none' }
  const way = names.includes('NOSPACE') ? ': compact and defragment it, then `etcdctl alarm disarm`' : ''
  return { check, status: 'failed', text: `${names.join(', ')}${way}` }
}

export function onSpace({ dbBytes, quotaBytes }: Pick<ServerStatus, 'dbBytes' | 'quotaBytes'>): Finding {
  const check = 'space'
  const most = quotaBytes === 0 ? usualQuotaBytes : quotaBytes
  const unless = quotaBytes === 0 ? ', unless --quota-backend-bytes says otherwise' : ''
  const text = `${inMegabytes(dbBytes)} of ${inMegabytes(most)}${unless}`
  return dbBytes < fullShare * most
    ? { check, status: 'ok', text }
    : {
        check,
        status: 'warning',
        text: `${text}: a full database takes no more acquisitions; compact and defragment it`,
      }
}

/** @param compactedAt - the last revision that was compacted; 0: none was */
export function onCompaction(revision: number, compactedAt: number): Finding {
  const check = 'compaction'
  const kept = (revision - compactedAt).toLocaleString('en')
  const way = 'set --auto-compaction-mode=periodic --auto-compaction-retention=1h, or the database fills up'
  if (compactedAt === 0) {
    return revision < youngRevisions
      ? { check, status: 'unknown', text: `there was none so far, in ${kept} revisions: ${way}` }
      : { check, status: 'warning', text: `there was none in ${kept} revisions: ${way}` }
  }
  const text = `${kept} revisions since the last one`
  return revision - compactedAt < mostRevisions
    ? { check, status: 'ok', text }
    : { check, status: 'warning', text: `${text}: ${way}` }
}

/** @param hasUsers - whether etcd wants to know who asks; `null`: it did not have to ask */
export function onUsers(hasUsers: boolean | null): Finding {
  const check = 'users'
  if (hasUsers === null) {
    return { check, status: 'unknown', text: 'a certificate was shown, and the server may not want any' }
  }
  if (hasUsers) return { check, status: 'ok', text: 'clients have to authenticate' }
  const text =
    'everyone who can connect may take any lock and remove any holder: `etcdctl auth enable`, or --client-cert-auth'
  return { check, status: 'warning', text }
}
