import { holdSnapshot, killBackends, type PostgresPair } from '@holdfast/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ObjectName } from '../objects.js'
import type { PostgresTopology } from '../postgres-topologies.js'
import type { FaultPlan } from './fault-plan.js'
import type { FaultKind, Heal, Instant } from './fault-kind.js'
import { postgresOf, targetProcess } from './fault-context.js'

/** A fault of the servers, or of what stands before them. */
function onServers(
  traits: Pick<FaultKind, 'on' | 'disturbs' | 'excuses'>,
  inject: (topology: PostgresTopology, plan: FaultPlan, object: ObjectName) => Promise<Heal | Instant>,
): FaultKind {
  return {
    ...traits,
    store: 'postgres',
    hitsServer: true,
    inject: (context, plan) => inject(postgresOf(context), plan, context.object),
  }
}

const shared = ['shared', 'shared_hold', 'shared_place', 'tombstone']
const tableNames: Readonly<Partial<Record<ObjectName, readonly string[]>>> = {
  'read-write-lock': shared,
  semaphore: shared,
  latch: ['latch', 'latch_party', 'latch_waiter'],
}

const tablesOf = (object: ObjectName): string =>
  (tableNames[object] ?? ['lock', 'place', 'tombstone']).map((name) => `holdfast.${name}`).join(', ')

/** Something that is run on the tables of the object; it is over when it is done. */
const running = (disturbs: FaultKind['disturbs'], sqlFor: (tables: string) => string): FaultKind =>
  onServers({ disturbs }, async (topology, _, object) => {
    const server = topology.primary()
    // The first client makes them.
    const [tables] = await server.query("select to_regclass('holdfast.tombstone') is not null as exist")
    if (tables?.['exist'] !== true) return 'missed'
    await server.query(sqlFor(tablesOf(object)))
    return 'over'
  })

/** All processes of the server end at once; it comes back after a while, as after a power failure. */
const killed = (traits: Pick<FaultKind, 'on' | 'excuses'>): FaultKind =>
  onServers({ ...traits, disturbs: 'all' }, async (topology) => {
    const server = topology.primary()
    await server.kill()
    return () => server.restart({ crash: true })
  })

/** The standby is promoted as it is; afterwards the old primary is its standby. */
const promoted = (
  traits: Pick<FaultKind, 'on' | 'excuses'>,
  failOver: (pair: PostgresPair, plan: FaultPlan) => Promise<void>,
): FaultKind =>
  onServers({ ...traits, disturbs: 'all' }, async (topology, plan) => {
    if (!topology.pair) return 'missed'
    await failOver(topology.pair, plan)
    return () => topology.whenStable()
  })

/** Faults of PostgreSQL, and of PgBouncer. */
export const postgresFaults = {
  killBackends: onServers({ disturbs: 'all' }, async (topology) => {
    await killBackends(topology.primary())
    return 'over'
  }),
  deafen: {
    disturbs: 'target',
    store: 'postgres',
    async inject(context, plan) {
      const { listening } = targetProcess(context, plan).route
      for (const proxy of listening) {
        await proxy.refuse()
        proxy.cut()
      }
      return async () => {
        for (const proxy of listening) await proxy.accept()
      }
    },
  },
  freezePostgres: onServers({ disturbs: 'all' }, async (topology) => {
    const server = topology.primary()
    await server.freeze()
    return () => server.thaw()
  }),
  restartClean: onServers({ disturbs: 'all' }, async (topology) => {
    await topology.primary().restart({ crash: false })
    return 'over'
  }),
  restartPgBouncer: onServers({ disturbs: 'all' }, async ({ pgBouncer }) => {
    if (!pgBouncer) return 'missed'
    await pgBouncer.kill()
    return () => pgBouncer.restart()
  }),
  longSnapshot: onServers({ disturbs: 'none' }, async (topology) => {
    const snapshot = await holdSnapshot(topology.primary())
    return () => snapshot.heal()
  }),
  vacuum: running('none', (tables) => `vacuum ${tables}`),
  vacuumFull: running('all', (tables) => `vacuum full ${tables}`),
  sweep: running('none', () => 'select holdfast.sweep(1000)'),
  crashUnlogged: killed({ on: ['postgres'], excuses: ['exclusion'] }),
  crashLogged: killed({ on: ['postgres-logged', 'postgres-standby', 'postgres-sync'] }),
  cutReplication: onServers({ on: ['postgres-standby', 'postgres-sync'], disturbs: 'all' }, ({ pair }) => {
    pair?.replication.blackHole('both')
    return Promise.resolve(() => pair?.replication.heal())
  }),
  promoteBehind: promoted({ on: ['postgres-standby'], excuses: ['exclusion'] }, async (pair, { forMs }) => {
    pair.replication.blackHole('both', { drop: true })
    await sleep(forMs)
    await pair.failOver()
    pair.replication.heal()
  }),
  promoteSynchronous: promoted({ on: ['postgres-sync'] }, (pair) => pair.failOver()),
  promoteBeside: promoted({ on: ['postgres-sync'] }, (pair) => pair.failOver({ isBeside: true })),
} satisfies Record<string, FaultKind>
