import type { Holdfast } from '@holdfast/core'
import { Worker, type Queue, type WorkerOptions } from 'bullmq'

export interface Export {
  readonly orderId: string
  readonly ticket: string
}

/** Acquires the order's lock, and leaves it to the worker that gets the job: in between, it is held. Resolves when the job is queued. */
export async function queueExport(holdfast: Holdfast, queue: Queue<Export>, orderId: string): Promise<void> {
  const lock = holdfast.getLock(`order:${orderId}`)
  const lease = await lock.lock()
  const ticket = await lease.handOver({ withinMs: 60_000 })
  try {
    await queue.add('export', { orderId, ticket }, { attempts: 3 })
  } catch (error) {
    await (await lock.takeOver(ticket))?.unlock()
    throw error
  }
}

/** A worker that goes on with the lock of the request. */
export function startExporter(
  holdfast: Holdfast,
  handle: (orderId: string, signal: AbortSignal) => Promise<void>,
  options: WorkerOptions,
): Worker<Export> {
  return new Worker<Export>(
    'exports',
    async ({ data: { orderId, ticket } }) => {
      const lock = holdfast.getLock(`order:${orderId}`)
      // A ticket is used up when its job is tried again, after an error or by another worker: then it waits for its turn.
      await using lease = (await lock.takeOver(ticket)) ?? (await lock.lock())
      await handle(orderId, lease.signal)
    },
    options,
  )
}
