import { quantile } from 'simple-statistics'
import { commandsPerCycle, handshakeAndPings } from '../commands.js'
import { titleOf, type Contender } from '../contender.js'
import { semaphoreOf as redisSemaphoreOf } from '../contenders/redis-semaphore.js'
import { lock, readLock, semaphoreOf, semaphoreSizes } from '../contenders/shared-objects.js'
import type { Figure } from '../figure.js'
import { interleaved, type Seen } from '../rounds.js'
import type { Plan, Scenario } from '../scenario.js'
import { nowUs } from '../tasks/contend.js'
import type { Pace } from '../tasks/cycles.js'
import { warmUp } from '../warm-up.js'
import { withWorkerPools } from '../with-worker-pools.js'
import type { WorkerPool } from '../worker-pool.js'

const name = 'shared'
const herdSizes = [10, 100, 1_000] as const
const semaphores = semaphoreSizes.flatMap((permits) => [semaphoreOf(permits), redisSemaphoreOf(permits)])

/** Also what reads the time that scripts take. */
const ignored: ReadonlySet<string> = new Set([...handshakeAndPings, 'config'])

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
  measure(pool: WorkerPool, run: Run): Promise<{ readonly cycles: number; readonly seen: Seen }>
}

const rows: readonly Row[] = [
  ...[lock, readLock].flatMap((contender): Row[] => [
    { contender, situation: '100 loops', measure: (pool, run) => contend(pool, 100, run) },
    ...herdSizes.map((waiters): Row => ({
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
  name,
  title: 'Read/write locks and semaphores, where a lock would let in one at a time',
  compares: { what: 'usPerCycle', lessIsBetter: true },
  floor: titleOf(lock),
  onlyByName: true,
  run: (plan) =>
    withWorkerPools(
      [...new Set(takingPart(plan).map(({ contender }) => contender))],
      1,
      async (pools, { url }) => {
        await warmUp(pools, plan)
        const poolOf = ({ contender }: Row): WorkerPool => {
          const found = pools.find((pool) => pool.contender === contender)
          if (!found) throw new Error(`${titleOf(contender)} has no process`)
          return found
        }
        const forMs = plan.isTrial ? 20 : 150
        const medians = await interleaved(takingPart(plan), plan.rounds, async (row) => {
          return (await row.measure(poolOf(row), { url, forMs })).seen
        })
        const figures: Figure[] = []
        for (const [row, seen] of medians) {
          const commands = await commandsPerCycle(
            url,
            () => paceOf(row, poolOf(row), { url, forMs: 3 * forMs }),
            ignored,
          )
          const of = titleOf(row.contender)
          const at = { situation: row.situation }
          figures.push({ scenario: name, of, at, seen: { ...seen, commandsPerCycle: commands } })
        }
        return figures
      },
    ),
}

/** Floors, and those that `--with` names; the objects here go by the name of Holdfast. */
function takingPart({ contenders }: Plan): Row[] {
  const libraries = new Set(contenders.map(({ library }) => library))
  return rows.filter(({ contender }) => !isOther(contender) || libraries.has(redisSemaphore))
}

const redisSemaphore = 'redis-semaphore'
const isOther = ({ library }: Contender): boolean => library.startsWith(redisSemaphore)

async function paceOf(row: Row, pool: WorkerPool, run: Run): Promise<Pace> {
  const { cycles } = await row.measure(pool, run)
  return { cycles, us: NaN }
}

/** Each of the loops enters and leaves at once, again and again. The first `writers` of them want it for themselves alone. */
async function contend(pool: WorkerPool, loops: number, { forMs }: Run, writers = 0) {
  const startUs = nowUs()
  // By then all have queued.
  const fromUs = startUs + (50 + loops / 5) * 1_000
  const untilUs = fromUs + forMs * 1_000
  const order = { lock: lockName(pool, loops), waiters: loops, alone: writers, fromUs: startUs, untilUs }
  const entries = (await pool.all('contend', () => order)).flat()
  const inside = entries.filter(([, , enteredAtUs]) => enteredAtUs >= fromUs && enteredAtUs < untilUs)
  const waits = (isWriter: boolean): number[] =>
    inside.flatMap(([loop, requestedAtUs, enteredAtUs]) =>
      loop < writers === isWriter ? (enteredAtUs - requestedAtUs) / 1_000 : [],
    )
  return {
    cycles: entries.length,
    seen: {
      usPerCycle: (forMs * 1_000) / Math.max(1, inside.length),
      ...(writers > 0 && {
        writerWaitP50Ms: quantileOf(waits(true), 0.5),
        writerWaitP99Ms: quantileOf(waits(true), 0.99),
        readerWaitP50Ms: quantileOf(waits(false), 0.5),
        readerWaitP99Ms: quantileOf(waits(false), 0.99),
      }),
    },
  }
}

const quantileOf = (values: readonly number[], p: number): number =>
  values.length === 0 ? NaN : quantile([...values], p)

/** One that was alone inside leaves, and all that wait enter: together if they can, else one after another. */
async function letIn(pool: WorkerPool, waiters: number, isTogether: boolean, { url }: Run) {
  const order = { url, lock: lockName(pool, waiters), waiters, isTogether }
  const [times] = await pool.all('herd', () => order)
  if (!times) throw new Error('no process returned a measurement')
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
