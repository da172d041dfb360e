import type { Holdfast } from '@holdfast/core'
import { DelayedError, Worker, type WorkerOptions } from 'bullmq'

export interface Invoice {
  readonly customerId: string
  readonly amount: number
}

/** A worker that handles one job per customer at a time, across all workers; jobs of other customers run in parallel. */
export function startWorker(
  holdfast: Holdfast,
  handle: (invoice: Invoice, signal: AbortSignal) => Promise<void>,
  options: WorkerOptions,
): Worker<Invoice> {
  return new Worker<Invoice>(
    'invoices',
    async (job, token, cancelled) => {
      const lock = holdfast.getLock(`customer:${job.data.customerId}`)
      // Rejects if the hold was lost, and so fails the job.
      const { ran } = await lock.tryWithLock(({ signal }) =>
        handle(job.data, cancelled ? AbortSignal.any([signal, cancelled]) : signal),
      )
      if (ran) return
      // Back into the queue, without counting as an attempt: this worker takes another job instead of waiting.
      await job.moveToDelayed(Date.now() + 1_000, token)
      throw new DelayedError()
    },
    { concurrency: 10, ...options },
  )
}
