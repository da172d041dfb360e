import { Holdfast } from '@holdfast/core'
import { Redis } from 'ioredis'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

const redisUrl = process.env['REDIS_URL'] || 'redis://localhost:6379'

/** In the main thread: holds the document's lock, and renews it while another thread computes. */
export function seal(holdfast: Holdfast, document: string, rounds: number): Promise<string> {
  return holdfast.getLock(`document:${document}`).withLock(async (lease) => {
    const thread = new Worker(new URL(import.meta.url), { argv: [document, String(rounds)] })
    try {
      const message: unknown[] = await once(thread, 'message', { signal: lease.signal })
      return String(message[0])
    } finally {
      await thread.terminate()
    }
  })
}

/** In the other thread, which takes its own locks with a client of its own. */
async function sealInThread(document = '', rounds = ''): Promise<void> {
  // Blocks this thread and its timers, but not the main thread's watchdog.
  let hash = document
  for (let i = 0; i < Number(rounds); i++) hash = createHash('sha256').update(hash).digest('hex')
  const holdfast = new Holdfast({ redis: redisUrl })
  const redis = new Redis(redisUrl)
  await holdfast.getLock('ledger').withLock(async () => {
    const sealed = Number(await redis.get('sealed'))
    await redis.set('sealed', sealed + 1)
  })
  await Promise.all([holdfast.close(), redis.quit()])
  parentPort?.postMessage(hash)
}

if (!isMainThread) await sealInThread(...process.argv.slice(2))
