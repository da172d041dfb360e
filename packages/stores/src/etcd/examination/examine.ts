import type { Examination, Finding } from '@holdfast/core/engine'
import { Client } from '../client/client.js'
import { StatusError, toError } from '../client/failures.js'
import { toEtcdError } from '../errors.js'
import type { EtcdSettings } from '../options.js'
import * as kv from '../wire/kv.js'
import { authenticateOf, byLease, grantOf, leaseOf } from '../wire/leases.js'
import { alarmsOf, membersOf, plainRequest, statusOf } from '../wire/maintenance.js'
import type { Message } from '../wire/protobuf.js'
import { compactedRevision } from './compacted-revision.js'
import {
  onAlarms,
  onCluster,
  onCompaction,
  onServers,
  onSessions,
  onSpace,
  onUsers,
  type ServerWord,
} from './findings.js'

/** A call of this examination, whose failures are errors of ours. */
type Call = (call: string, request: Buffer) => Promise<Message>

/** Looks at a cluster for those who run it: see `LockEngine.examine`. */
export async function examine(settings: EtcdSettings, examination: Examination): Promise<readonly Finding[]> {
  const wantedMs = settings.sessionTimeoutMs ?? examination.watchdogTimeoutMs
  const { endpoints, prefix } = settings
  const words = await Promise.all(
    endpoints.map(async (endpoint): Promise<ServerWord> => {
      const host = endpoint.origin
      try {
        return await withClient({ ...settings, endpoints: [endpoint] }, examination, async (call) => ({
          ...{ host, status: statusOf(await call('Maintenance/Status', plainRequest)) },
        }))
      } catch (error) {
        return { host, status: toError(error).message }
      }
    }),
  )
  const spaces = words.flatMap(({ status }) => (typeof status === 'string' ? [] : [status]))
  const [fullest] = spaces.sort((a, b) => b.dbBytes - a.dbBytes)
  const others = await withClient(settings, examination, async (call) => [
    ...(await lookAt('sessions', async () => {
      const [granted, shortest] = [await grantedS(call, Math.ceil(wantedMs / 1_000)), await grantedS(call, 1)]
      return [onSessions(wantedMs, granted * 1_000, shortest * 1_000)]
    })),
    ...(await lookAt('cluster', async () => [
      onCluster(membersOf(await call('Cluster/MemberList', plainRequest))),
    ])),
    onServers(words),
    ...(await lookAt('alarms', async () => [
      onAlarms(alarmsOf(await call('Maintenance/Alarm', plainRequest))),
    ])),
    ...(fullest ? [onSpace(fullest)] : []),
    ...(await lookAt('compaction', async () => {
      const { revision } = kv.rangeOf(await call('KV/Range', kv.rangeOfKeyOnly(prefix)))
      return [onCompaction(revision, await compactedRevision(call, prefix, revision))]
    })),
    ...(await lookAt('users', async () => [onUsers(await hasUsers(call, settings))])),
  ])
  return others
}

/** What etcd grants for that many seconds. */
async function grantedS(call: Call, wantedS: number): Promise<number> {
  const { lease, ttlS } = leaseOf(await call('Lease/LeaseGrant', grantOf(wantedS)))
  await call('Lease/LeaseRevoke', byLease(lease))
  return ttlS
}

/** `null`: a certificate may stand for a user, or not. */
async function hasUsers(call: Call, { user, prefix, endpoints }: EtcdSettings): Promise<boolean | null> {
  if (!user && endpoints.some(({ tls }) => tls?.cert !== undefined)) return null
  try {
    if (!user) await call('KV/Range', kv.rangeOfKeyOnly(prefix))
    else await call('Auth/Authenticate', authenticateOf(user.username, user.password))
    return user !== undefined
  } catch (error) {
    const { cause } = toError(error)
    if (!(cause instanceof StatusError)) throw error
    return !cause.message.includes('not enabled')
  }
}

/** What cannot be looked at stays unknown, and the other checks go on. */
async function lookAt(check: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look()
  } catch (error) {
    return [{ check, status: 'unknown', text: toError(error).message }]
  }
}

async function withClient<T>(
  settings: EtcdSettings,
  { timeoutMs }: Examination,
  use: (call: Call) => Promise<T>,
): Promise<T> {
  const nothing = (): void => undefined
  const client = new Client(
    { ...settings, silenceMs: timeoutMs },
    { connected: nothing, broken: nothing, reauthenticated: nothing },
  )
  const { prefix, user } = settings
  try {
    return await use(async (call, request) => {
      try {
        return await client.call(call, request, timeoutMs)
      } catch (error) {
        throw toEtcdError(error, { server: client.origin, prefix, username: user?.username })
      }
    })
  } finally {
    client.close()
  }
}
