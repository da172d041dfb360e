import { quantile } from 'simple-statistics'
import { semaphores } from '../adapters/contenders.js'
import { lock, readLock } from '../adapters/holdfast.js'
import { compare } from '../compare.js'
import { titleOf, type Contender } from '../contender.js'
import type { Plan, Scenario, Seen } from '../scenario.js'
import { onRedis } from '../servers.js'
import { nowUs } from '../tasks/contend.js'
import { warmUp, withPools, type WorkerPool } from '../worker-pool.js'

/** On which server, and how long what can be repeated is repeated. */
interface Run {
  readonly url: string
  readonly forMs: number
}

/** One line of the table. */
interface Row {
  readonly contender: Contender
  readonly situation: string
  /** Returns how many cycles there were in all, and what was seen of them. */
  readonly measure: (pool: WorkerPool, run: Run) => Promise<{ readonly cycles: number; readonly seen: Seen }>
}

const rows: readonly Row[] = [
  ...[lock, readLock].flatMap((contender): Row[] => [
    { contender, situation: '100 loops', measure: (pool, run) => contend(pool, 100, run) },
    ...[10, 100, 1_000].map((waiters): Row => ({
      contender,
      situation: `${waiters} wait for a writer`,
      measure: (pool, run) => letIn(pool, waiters, contender === readLock, run),
    })),
    {
      contender,
      situation: 'a writer among 20 readers',
      measure: (pool, run) => contend(pool, 21, run, 1),
    },
  ]),
  ...[lock, ...semaphores].map((contender): Row => ({
    contender,
    situation: '200 loops',
    measure: (pool, run) => contend(pool, 200, run),
  })),
]

/** Objects that several owners hold at once, beside a lock that they hold one after another. All in one process. */
export const shared: Scenario = {
  name: 'shared',
  title: 'Read/write locks and semaphores, which admit several holders at once',
  compares: { what: 'usPerCycle', lessIsBetter: true },
  floor: titleOf(lock),
  onlyByName: true,
  run: (plan) =>
    onRedis((servers) => {
      const taking = takingPart(plan)
      const contenders = [...new Set(taking.map(({ contender }) => contender))]
      return withPools(contenders, servers, 1, async (pools) => {
        await warmUp(pools, plan)
        const { url } = servers.redis
        const forMs = plan.isTrial ? 20 : 150
        const subjects = taking.flatMap(({ contender, situation, measure }) =>
          pools
            .filter((pool) => pool.contender === contender)
            .map((pool) => ({
              of: titleOf(contender),
              at: { situation },
              measure: async () => (await measure(pool, { url, forMs })).seen,
              count: async () => ({
                commandsPerCycle: await servers.sentPerCycle(contender, () =>
                  measure(pool, { url, forMs: 3 * forMs }),
                ),
              }),
            })),
        )
        return compare(plan.rounds, subjects)
      })
    }),
}

/** Floors, and those that `--with` names; the objects here go by the name of Holdfast. */
function takingPart({ contenders }: Plan): readonly Row[] {
  const other = 'redis-semaphore'
  const isNamed = contenders.some(({ library }) => library === other)
  return rows.filter(({ contender }) => isNamed || !contender.library.startsWith(other))
}

/** Each of the loops enters and leaves at once, again and again. The first `writers` of them want it for themselves alone. */
async function contend(pool: WorkerPool, loops: number, { forMs }: Run, writers = 0) {
  const startUs = nowUs()
  // By then all have queued.
  const fromUs = startUs + (50 + loops / 5) * 1_000
  const untilUs = fromUs + forMs * 1_000
  const order = { lock: lockName(pool, loops), waiters: loops, alone: writers, fromUs: startUs, untilUs }
  const entries = await pool.one('contend', order)
  const inside = entries.filter(([, , enteredAtUs]) => enteredAtUs >= fromUs && enteredAtUs < untilUs)
  const waitMs = (isWriter: boolean, p: number): number => {
    const waits = inside.filter(([loop]) => loop < writers === isWriter)
    const ms = waits.map(([, requestedAtUs, enteredAtUs]) => (enteredAtUs - requestedAtUs) / 1_000)
    return ms.length === 0 ? NaN : quantile(ms, p)
  }
  return {
    cycles: entries.length,
    seen: {
      usPerCycle: (forMs * 1_000) / Math.max(1, inside.length),
      ...(writers > 0 && {
        writerWaitP50Ms: waitMs(true, 0.5),
        writerWaitP99Ms: waitMs(true, 0.99),
        readerWaitP50Ms: waitMs(false, 0.5),
        readerWaitP99Ms: waitMs(false, 0.99),
      }),
    },
  }
}

/** One that was alone inside leaves, and all that wait enter: together if they can, else one after another. */
async function letIn(pool: WorkerPool, waiters: number, isTogether: boolean, { url }: Run) {
  const order = { url, lock: lockName(pool, waiters), waiters, isTogether }
  const times = await pool.one('herd', order)
  return {
    cycles: waiters + 1,
    seen: {
      usPerCycle: times.us / waiters,
      // Otherwise what the waiters send when they leave would be part of it.
      ...(isTogether && { redisUsPerEntry: times.redisUs / waiters }),
    },
  }
}

const lockName = ({ contender }: WorkerPool, waiters: number): string => `${titleOf(contender)}: ${waiters}`
