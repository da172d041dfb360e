import { etcdContenders, herds, mysqlContenders, zooKeeperContenders } from '../adapters/contenders.js'
import { etcdByHand } from '../adapters/etcd-floor.js'
import { handOffByHand } from '../adapters/floors.js'
import { getLock } from '../adapters/mysql-floors.js'
import { advisoryLocks } from '../adapters/postgres-floors.js'
import { zooKeeperByHand } from '../adapters/zookeeper-floor.js'
import { compare } from '../compare.js'
import { titleOf, type Contender } from '../contender.js'
import {
  handOffsOf,
  isInJava,
  rivalsIn,
  warmUpRivals,
  withRivals,
  type Rival,
  type Size,
} from '../contention.js'
import type { Figure, Plan, Scenario, Seen } from '../scenario.js'
import { onMysql } from '../mysql-server.js'
import { onPostgres, onRedis } from '../servers.js'
import { onEtcd, onZooKeeper, type SessionServers } from '../session-servers.js'
import type { Pace } from '../tasks/cycles.js'
import { onPostgresIn } from './cycles.js'

interface Settings<R extends Rival> {
  readonly sizesFor: (rival: R) => readonly Size[]
  readonly windowMs: number
  /** For how long it is counted what a server gets, and what it gets per cycle while cycles run. */
  readonly count?: (rival: R) => {
    readonly forMs: number
    readonly perCycle: (run: () => Promise<Pick<Pace, 'cycles'>>) => Promise<Seen>
  }
}

/** One lock under constant contention: how long a hand-off takes, and who gets it. */
function contend<R extends Rival>(
  rivals: readonly R[],
  urlOf: (rival: R) => string,
  plan: Plan,
  { sizesFor, windowMs, count }: Settings<R>,
): Promise<Figure[]> {
  const processesOf = (rival: R): number => Math.max(...sizesFor(rival).map(({ processes }) => processes))
  return withRivals(rivals, urlOf, processesOf, async (started) => {
    await warmUpRivals(started, processesOf, plan)
    // Compared rivals come one after another: the speed of a machine changes within seconds.
    const sizes = [...new Set([...started.keys()].flatMap((rival) => sizesFor(rival)))]
    const subjects = sizes.flatMap((size) =>
      [...started]
        .filter(([rival]) => sizesFor(rival).includes(size))
        .map(([rival, processes]) => {
          const subject = handOffsOf(rival, processes, size, plan.isTrial ? 20 : windowMs)
          const counted = count?.(rival)
          if (!counted) return subject
          const { forMs, perCycle } = counted
          return { ...subject, count: () => perCycle(() => subject.cyclesIn(forMs)) }
        }),
    )
    return compare(plan.rounds, subjects)
  })
}

const size = (waiters: number, processes: number): Size => ({ waiters, processes })
const in4 = [size(10, 4), size(50, 4)]
const in2 = [size(10, 2), size(50, 2)]
const allSizes = [
  size(2, 2),
  ...in4,
  size(200, 4),
  size(2_000, 4),
  ...[1, 2, 8].map((processes) => size(200, processes)),
  ...in2,
]

/** Pollers stall with hundreds of waiters; a JVM has more threads than these machines have cores. */
function sizesFor(rival: Rival, { isTrial }: Plan): readonly Size[] {
  if (isInJava(rival)) return in2
  if (isTrial) return in2.slice(0, 1)
  return rival.waits === 'queueing' ? allSizes : in4.slice(-1)
}

const usPerHandOff = { what: 'usPerHandOff', lessIsBetter: true }

export const handOff: Scenario = {
  name: 'hand-off',
  title: 'From one waiter of a lock to the next, under constant contention',
  compares: usPerHandOff,
  floor: titleOf(handOffByHand),
  run: async (plan) => {
    const rivals = await rivalsIn(plan)
    return onRedis(({ redis, sentPerCycle }) =>
      contend(rivals, () => redis.url, plan, {
        sizesFor: (rival) => sizesFor(rival, plan),
        windowMs: 150,
        count: (rival) => ({
          // With only two commands per cycle, what a client sends once per period must not distort the average.
          forMs: rival.waits === 'queueing' && !plan.isTrial ? 500 : 100,
          perCycle: async (run) => ({ commandsPerCycle: await sentPerCycle(rival, run) }),
        }),
      }),
    )
  },
}

const waiters = 50

/** Whether all waiters of a lock get it equally often, and in order. */
export const fairness: Scenario = {
  name: 'fairness',
  title: `How ${waiters} waiters of one lock are served over a longer time`,
  compares: { what: 'jain', lessIsBetter: false },
  run: async (plan) => {
    const rivals = (await rivalsIn(plan)).filter(({ configuration }) => configuration !== 'defaults')
    const [inJava, inNode] = [[size(waiters, 2)], [size(waiters, plan.isTrial ? 2 : 4)]]
    return onRedis(({ redis }) =>
      contend(rivals, () => redis.url, plan, {
        sizesFor: (rival) => (isInJava(rival) ? inJava : inNode),
        windowMs: 400,
      }),
    )
  },
}

const postgresSizes = [1, 4].flatMap((processes) => [10, 50, 200].map((each) => size(each, processes)))

export const postgresHandOff: Scenario = {
  name: 'postgres-hand-off',
  title: 'On PostgreSQL: from one waiter of a lock to the next, under constant contention',
  compares: usPerHandOff,
  floor: titleOf(advisoryLocks),
  onlyByName: true,
  run: (plan) => {
    const contenders = onPostgresIn(plan)
    const sizes = plan.isTrial ? postgresSizes.slice(0, 1) : postgresSizes
    return onPostgres(contenders, ({ urlOf, sentPerCycle }) =>
      contend(contenders, urlOf, plan, {
        // Hundreds that poll leave no processor for anything else.
        sizesFor: ({ waits }) => sizes.filter((each) => waits === 'queueing' || each.waiters <= 50),
        windowMs: 300,
        count: (rival) => ({
          forMs: plan.isTrial ? 100 : 1_000,
          perCycle: async (run) => ({ statementsPerCycle: await sentPerCycle(rival, run) }),
        }),
      }),
    )
  },
}

const sessionSizes = [size(10, 4), size(50, 4), size(200, 4)]
const herdSizes = [size(200, 1)]

/** With the floor, and with Holdfast once more in many clients. */
function contendOnSessions(
  { url, perCycle }: SessionServers,
  contenders: readonly Contender[],
  herd: Contender,
  plan: Plan,
): Promise<Figure[]> {
  const sizesOf = (rival: Contender): readonly Size[] => {
    if (rival === herd) return herdSizes
    // Hundreds that poll leave no processor for anything else.
    return rival.waits === 'polling' ? sessionSizes.slice(0, 2) : sessionSizes
  }
  return contend([...contenders, herd], () => url, plan, {
    sizesFor: (rival) => (plan.isTrial ? sizesOf(rival).slice(0, 1) : sizesOf(rival)),
    // Hundreds of waiters take half a second to arrive.
    windowMs: 2_000,
    count: () => ({ forMs: plan.isTrial ? 200 : 3_000, perCycle }),
  })
}

export const zookeeperHandOff: Scenario = {
  name: 'zookeeper-hand-off',
  title: 'On ZooKeeper: from one waiter of a lock to the next, under constant contention',
  compares: usPerHandOff,
  floor: titleOf(zooKeeperByHand),
  onlyByName: true,
  run: (plan) =>
    onZooKeeper((servers) => contendOnSessions(servers, zooKeeperContenders, herds.zooKeeper, plan)),
}

export const etcdHandOff: Scenario = {
  name: 'etcd-hand-off',
  title: 'On etcd: from one waiter of a lock to the next, under constant contention',
  compares: usPerHandOff,
  floor: titleOf(etcdByHand),
  onlyByName: true,
  run: (plan) => onEtcd((servers) => contendOnSessions(servers, etcdContenders, herds.etcd, plan)),
}

const mysqlSizes = [size(10, 1), size(10, 4), size(50, 4)]

export const mysqlHandOff: Scenario = {
  name: 'mysql-hand-off',
  title: 'On MySQL: from one waiter of a lock to the next, under constant contention',
  compares: usPerHandOff,
  floor: titleOf(getLock),
  onlyByName: true,
  run: (plan) =>
    onMysql(({ urlOf, sentPerCycle }) =>
      contend(mysqlContenders, urlOf, plan, {
        sizesFor: () => (plan.isTrial ? mysqlSizes.slice(0, 1) : mysqlSizes),
        windowMs: 1_000,
        count: (rival) => ({
          forMs: plan.isTrial ? 200 : 2_000,
          perCycle: async (run) => ({ statementsPerCycle: await sentPerCycle(rival, run) }),
        }),
      }),
    ),
}
