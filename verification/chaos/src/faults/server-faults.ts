import {
  evictKeys,
  failAppends,
  failSnapshots,
  fillMemory,
  killClients,
  loseData,
  pauseClients,
  refuseCommands,
  requirePassword,
  runBusyScript,
  scriptFlush,
  sleepServer,
  type Fault,
  type RedisServer,
} from '@holdfast/testkit'
import type { FaultKind, Heal, Instant } from './fault-kind.js'
import { pickCyclic } from '../pick-cyclic.js'
import { targetMaster } from './fault-context.js'

/** A fault of the server that holds one of the locks. */
function onMaster(
  traits: Pick<FaultKind, 'on' | 'disturbs' | 'excuses'>,
  inject: (server: RedisServer, forMs: number, key: string) => Promise<Fault | Heal | Instant>,
): FaultKind {
  return {
    ...traits,
    store: 'redis',
    hitsServer: true,
    async inject(context, plan) {
      const server = await targetMaster(context, plan)
      try {
        const fault = await inject(server, plan.forMs, pickCyclic(context.keys, plan.target))
        return typeof fault === 'object' ? () => fault.heal() : fault
      } catch (error) {
        if (isFromReplica(error)) return 'missed'
        throw error
      }
    },
  }
}

/** A failover that an earlier fault caused may have made a replica of it since it was looked up. */
const isFromReplica = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('READONLY')

/** Faults of the Redis server that holds a lock, without a failover. */
export const serverFaults = {
  flushScripts: onMaster({ disturbs: 'none' }, async (server) => {
    await scriptFlush(server)
    return 'over'
  }),
  killClients: onMaster({ disturbs: 'all' }, async (server) => {
    await killClients(server)
    return 'over'
  }),
  pauseWrites: onMaster({ disturbs: 'all' }, (server, forMs) => pauseClients(server, forMs, 'WRITE')),
  pauseAll: onMaster({ disturbs: 'all' }, (server, forMs) => pauseClients(server, forMs)),
  sleep: onMaster({ disturbs: 'all' }, (server, forMs) => sleepServer(server, forMs)),
  busyScript: onMaster({ disturbs: 'all' }, (server) => runBusyScript(server)),
  freezeServer: onMaster({ disturbs: 'all' }, async (server) => {
    await server.freeze()
    return () => server.thaw()
  }),
  outOfMemory: onMaster({ disturbs: 'all' }, (server) => fillMemory(server)),
  failSnapshots: onMaster({ disturbs: 'all' }, (server) => failSnapshots(server)),
  failAppends: onMaster({ disturbs: 'all' }, (server, _, key) =>
    failAppends(server, key.startsWith('{') ? `${key}:append` : `{${key}}:append`),
  ),
  noPermission: onMaster({ disturbs: 'all' }, (server) => refuseCommands(server, ['evalsha', 'eval'])),
  noAuth: onMaster({ disturbs: 'all' }, (server) => requirePassword(server)),
  evictLock: onMaster({ disturbs: 'all', excuses: ['exclusion'] }, async (server, _, key) => {
    // Other keys may be evicted before this one.
    return (await evictKeys(server, { key })) === 0 ? 'missed' : 'over'
  }),
  loseData: onMaster({ disturbs: 'all', excuses: ['exclusion'] }, async (server) => {
    await loseData(server)
    return 'over'
  }),
  restartEmpty: onMaster({ disturbs: 'all', excuses: ['exclusion'] }, async (server) => {
    await server.kill()
    return () => server.restart()
  }),
} satisfies Record<string, FaultKind>
