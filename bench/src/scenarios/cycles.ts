import {
  etcdContenders,
  memcachedContenders,
  mysqlContenders,
  postgresContenders,
  zooKeeperContenders,
} from '../adapters/contenders.js'
import { etcdByHand } from '../adapters/etcd-floor.js'
import { setAndDelete } from '../adapters/floors.js'
import { holdfast, observedHoldfast } from '../adapters/holdfast.js'
import { memcachedByHand } from '../adapters/memcached-floor.js'
import { getLock } from '../adapters/mysql-floors.js'
import { advisoryLocks } from '../adapters/postgres-floors.js'
import { redisClients } from '../adapters/redis-clients.js'
import { zooKeeperByHand } from '../adapters/zookeeper-floor.js'
import { compare } from '../compare.js'
import { titleOf, type Contender } from '../contender.js'
import { onMysql } from '../mysql-server.js'
import type { About, Plan, Scenario } from '../scenario.js'
import { onPostgres, onRedis, type Servers } from '../servers.js'
import { onEtcd, onMemcached, onZooKeeper } from '../session-servers.js'
import { warmUp, withPools } from '../worker-pool.js'

/** What a client sends once per period must not distort the average of what is counted. */
const atLeast = 100

interface Settings {
  readonly among: (plan: Plan) => readonly Contender[]
  /** How many locks at once, each with its own task, all in one process. */
  readonly locks: readonly number[]
  readonly forMs: number
  /** What is sent per cycle, besides the compared value. */
  readonly counts: 'commandsPerCycle' | 'statementsPerCycle' | 'requestsPerCycle'
  /** Counts what a nested call adds as well. */
  readonly countsNested?: true
  readonly on?: <T>(
    contenders: readonly Contender[],
    use: (servers: Pick<Servers, 'urlOf' | 'sentPerCycle'>) => Promise<T>,
  ) => Promise<T>
}

const ofCycles = (
  about: About,
  { among, locks, forMs: ms, counts, countsNested, on = (_, use) => onRedis(use) }: Settings,
): Scenario => ({
  ...about,
  run: (plan) => {
    const contenders = among(plan)
    return on(contenders, (servers) =>
      withPools(contenders, servers, 1, async (pools) => {
        await warmUp(pools, plan)
        const forMs = plan.isTrial ? 10 : ms
        const subjects = locks.flatMap((tasks) =>
          pools.map((pool) => ({
            of: titleOf(pool.contender),
            at: locks.length > 1 ? { locks: tasks } : {},
            async measure() {
              const { cycles, us, cpuUs } = await pool.cycles({ tasks, forMs })
              const { what } = about.compares
              if (what === 'cyclesPerSecond') return { [what]: (cycles / us) * 1_000_000 }
              return { [what]: (what === 'cpuUsPerCycle' ? cpuUs : us) / cycles }
            },
            async count() {
              const sent = (way: 'plain' | 'nested'): Promise<number> =>
                servers.sentPerCycle(pool.contender, () =>
                  pool.cycles({ tasks, way, atLeast, forMs: countsNested ? forMs : Math.min(forMs, 20) }),
                )
              const plain = await sent('plain')
              return {
                [counts]: plain,
                ...(countsNested && pool.can('nest') && { nestedMore: (await sent('nested')) - plain }),
              }
            },
          })),
        )
        return compare(plan.rounds, subjects)
      }),
    )
  },
})

const usPerCycle = { what: 'usPerCycle', lessIsBetter: true }

export const uncontended = ofCycles(
  {
    name: 'uncontended',
    title: 'A cycle of an uncontended lock',
    compares: usPerCycle,
    floor: titleOf(setAndDelete),
  },
  { among: ({ contenders }) => contenders, locks: [1], forMs: 150, counts: 'commandsPerCycle' },
)

export const throughput = ofCycles(
  {
    name: 'throughput',
    title: 'Cycles per second of one process with several locks at once',
    compares: { what: 'cyclesPerSecond', lessIsBetter: false },
    floor: titleOf(setAndDelete),
  },
  {
    // Default configurations differ only in how they wait, and there is no waiting here.
    among: ({ contenders }) => contenders.filter(({ configuration }) => configuration !== 'defaults'),
    locks: [1, 10, 100, 1_000],
    forMs: 100,
    counts: 'commandsPerCycle',
  },
)

/** What it costs to listen to the diagnostics channels. */
export const channels = ofCycles(
  {
    name: 'channels',
    title: 'A cycle of an uncontended lock, with and without subscribers to its diagnostics channels',
    compares: usPerCycle,
    onlyByName: true,
  },
  { among: () => [holdfast, observedHoldfast], locks: [1], forMs: 150, counts: 'commandsPerCycle' },
)

export const clients = ofCycles(
  {
    name: 'clients',
    title:
      'The processor time of a cycle over each library that reaches Redis, alone and with 64 locks at once',
    compares: { what: 'cpuUsPerCycle', lessIsBetter: true },
    floor: 'Holdfast over ioredis 6',
    onlyByName: true,
  },
  { among: () => redisClients, locks: [1, 64], forMs: 300, counts: 'commandsPerCycle' },
)

/** Floors, and what belongs to the libraries that `--with` names. */
export const onPostgresIn = ({ contenders }: Plan): readonly Contender[] =>
  postgresContenders.filter(
    ({ configuration, library }) =>
      configuration === 'floor' || contenders.some((given) => library.startsWith(given.library)),
  )

export const postgresCycles = ofCycles(
  {
    name: 'postgres-cycles',
    title: 'On PostgreSQL: a cycle of an uncontended lock, alone and with 100 locks at once',
    compares: usPerCycle,
    floor: titleOf(advisoryLocks),
    onlyByName: true,
  },
  {
    among: onPostgresIn,
    locks: [1, 100],
    forMs: 300,
    counts: 'statementsPerCycle',
    on: onPostgres,
  },
)

const onSessions = { locks: [1], forMs: 500, counts: 'requestsPerCycle', countsNested: true } as const

export const zookeeperCycles = ofCycles(
  {
    name: 'zookeeper-cycles',
    title: 'On ZooKeeper: a cycle of an uncontended lock',
    compares: usPerCycle,
    floor: titleOf(zooKeeperByHand),
    onlyByName: true,
  },
  { among: () => zooKeeperContenders, ...onSessions, on: (_, use) => onZooKeeper(use) },
)

export const etcdCycles = ofCycles(
  {
    name: 'etcd-cycles',
    title: 'On etcd: a cycle of an uncontended lock',
    compares: usPerCycle,
    floor: titleOf(etcdByHand),
    onlyByName: true,
  },
  { among: () => etcdContenders, ...onSessions, on: (_, use) => onEtcd(use) },
)

export const mysqlCycles = ofCycles(
  {
    name: 'mysql-cycles',
    title: 'On MySQL: a cycle of an uncontended lock, alone and with 100 locks at once',
    compares: usPerCycle,
    floor: titleOf(getLock),
    onlyByName: true,
  },
  {
    among: () => mysqlContenders,
    locks: [1, 100],
    forMs: 500,
    counts: 'statementsPerCycle',
    on: (_, use) => onMysql(use),
  },
)

export const memcachedCycles = ofCycles(
  {
    name: 'memcached-cycles',
    title: 'On memcached: a cycle of an uncontended lock',
    compares: usPerCycle,
    floor: titleOf(memcachedByHand),
    onlyByName: true,
  },
  { among: () => memcachedContenders, ...onSessions, on: (_, use) => onMemcached(use) },
)
