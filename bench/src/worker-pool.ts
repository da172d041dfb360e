import { fileURLToPath } from 'node:url'
import { forkWorker, type Worker } from '@holdfast/testkit'
import type { Contender } from './contender.js'
import { pin, workerCore } from './pinning.js'
import type { Plan } from './scenario.js'
import type { Server } from './stores.js'
import type { Pace, CyclesOrder } from './tasks/cycles.js'
import type { TaskName, TaskOrder, TaskResult } from './tasks/tasks.js'

const workerFile = fileURLToPath(new URL('worker.js', import.meta.url))

/**
 * After a few idle seconds V8 collects garbage to return memory, and discards compiled code of classes that have no
 * instance at that moment. A pool idles that long while others are measured; a service under load never does.
 */
const nodeArgs = ['--no-memory-reducer']

/** Worker processes, each with a session of one contender. Idle between tasks. */
export class WorkerPool {
  readonly contender: Contender
  readonly #workers: readonly Worker[]

  private constructor(contender: Contender, workers: readonly Worker[]) {
    this.contender = contender
    this.#workers = workers
  }

  static async start(contender: Contender, url: string, processes: number): Promise<WorkerPool> {
    const workers = await Promise.all(
      Array.from({ length: processes }, async (_, index) => {
        const worker = await forkWorker(workerFile, { args: [contender.library, url], nodeArgs })
        await worker.waitFor('ready')
        await pin(worker.pid, workerCore(index))
        return worker
      }),
    )
    return new WorkerPool(contender, workers)
  }

  /** Runs one task on all workers at once, each with its `orderOf`. Resolves when all are done. */
  async all<Name extends TaskName>(
    task: Name,
    orderOf: (index: number) => TaskOrder<Name>,
    withinMs = 120_000,
  ): Promise<TaskResult<Name>[]> {
    await Promise.all(
      this.#workers.map((worker, index) => worker.send({ type: 'do', task, order: orderOf(index) })),
    )
    return Promise.all(
      this.#workers.map(async (worker) => {
        const { result, error } = await worker.waitFor('done', withinMs)
        if (typeof error === 'string')
          throw new Error(`${this.contender.library} failed at ${task}: ${error}`)
        // A worker replies with what its task returned.
        return result as TaskResult<Name>
      }),
    )
  }

  /** Runs one task in a pool of one process. */
  async one<Name extends TaskName>(
    task: Name,
    order: TaskOrder<Name>,
    withinMs?: number,
  ): Promise<TaskResult<Name>> {
    for (const result of await this.all(task, () => order, withinMs)) return result
    throw new Error(`${this.contender.library} has no process`)
  }

  /** Runs cycles on locks of its own. */
  cycles(order: Omit<CyclesOrder, 'prefix'>): Promise<Pace> {
    return this.one('cycles', { prefix: this.contender.library, ...order })
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.kill()))
  }
}

/** Runs the callback with a pool for each contender, each with that many processes; then stops them all. */
export async function withPools<T>(
  contenders: readonly Contender[],
  { urlOf }: Pick<Server, 'urlOf'>,
  processes: number,
  use: (pools: readonly WorkerPool[]) => Promise<T>,
): Promise<T> {
  const starting = contenders.map((contender) => WorkerPool.start(contender, urlOf(contender), processes))
  try {
    return await use(await Promise.all(starting))
  } finally {
    await Promise.allSettled(starting.map(async (pool) => (await pool).stop()))
  }
}

/** Runs the callback with a pool of one process. */
export const withPool = <T>(
  contender: Contender,
  servers: Pick<Server, 'urlOf'>,
  use: (pool: WorkerPool) => Promise<T>,
): Promise<T> =>
  withPools([contender], servers, 1, ([pool]) => {
    if (!pool) throw new Error(`${contender.library} has no process`)
    return use(pool)
  })

/** A service runs for days, so its compiled code is what counts. This is the CPU time for one process. */
export const warmUpMs = 1_500

/** Runs cycles in each pool of one process. */
export async function warmUp(pools: readonly WorkerPool[], { isTrial }: Plan): Promise<void> {
  for (const pool of isTrial ? [] : pools) await pool.cycles({ tasks: 50, forMs: warmUpMs })
}
