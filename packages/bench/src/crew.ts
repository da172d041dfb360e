import { fileURLToPath } from 'node:url'
import { forkWorker, type Worker } from '@holdfast/testkit'
import { titleOf, type Contender } from './contender.js'
import { pin, workerCore } from './pinning.js'
import type { TaskName, TaskOrder, TaskResult } from './tasks/tasks.js'

const workerFile = fileURLToPath(new URL('worker.js', import.meta.url))

/**
 * After some seconds of idleness V8 collects garbage to give memory back, and with it goes the compiled code of what has no
 * instance at the moment. A crew is idle for as long while others are measured; a service at work never is.
 */
const nodeArgs = ['--no-memory-reducer']

/** Worker processes that all have a session of one contender. Idle until asked. */
export class Crew {
  readonly contender: Contender
  readonly workers: readonly Worker[]

  private constructor(contender: Contender, workers: readonly Worker[]) {
    this.contender = contender
    this.workers = workers
  }

  static async start(contender: Contender, url: string, processes: number): Promise<Crew> {
    const workers = await Promise.all(
      Array.from({ length: processes }, async (_, index) => {
        const worker = await forkWorker(workerFile, { args: [titleOf(contender), url], nodeArgs })
        await worker.waitFor('ready', 30_000)
        await pin(worker.pid, workerCore(index))
        return worker
      }),
    )
    return new Crew(contender, workers)
  }

  /** Has every worker do the same at once, with the order that `orderOf` gives each. Resolves when all are done. */
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
        // What a worker tells is what its task returned.
        return result as TaskResult<Name>
      }),
    )
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()))
  }
}
