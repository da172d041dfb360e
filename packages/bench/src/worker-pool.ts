import { fileURLToPath } from 'node:url'
import { forkWorker, type Worker } from '@holdfast/testkit'
import { titleOf, type Contender } from './contender.js'
import { pin, workerCore } from './pinning.js'
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
  readonly workers: readonly Worker[]

  private constructor(contender: Contender, workers: readonly Worker[]) {
    this.contender = contender
    this.workers = workers
  }

  static async start(contender: Contender, url: string, processes: number): Promise<WorkerPool> {
    const workers = await Promise.all(
      Array.from({ length: processes }, async (_, index) => {
        const worker = await forkWorker(workerFile, { args: [titleOf(contender), url], nodeArgs })
        await worker.waitFor('ready', 30_000)
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
      this.workers.map((worker, index) => worker.send({ type: 'do', task, order: orderOf(index) })),
    )
    return Promise.all(
      this.workers.map(async (worker) => {
        const { result, error } = await worker.waitFor('done', withinMs)
        if (typeof error === 'string')
          throw new Error(`${titleOf(this.contender)} failed at ${task}: ${error}`)
        // A worker replies with what its task returned.
        return result as TaskResult<Name>
      }),
    )
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()))
  }
}
