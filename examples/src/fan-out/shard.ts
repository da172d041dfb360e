// The process of one shard.
import { Holdfast } from '@holdfast/core'
import { tellParent } from '@holdfast/testkit/process'
import { Redis } from 'ioredis'
import { setTimeout as delay } from 'node:timers/promises'
import type { Crash } from './crash.js'

// Ctrl-C reaches every process of a terminal's group. The parent decides when this process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

const [url = '', keyPrefix = '', latch = '', shard = '', crash = 'none'] = process.argv.slice(2)

/** A crash leaves no time to clean up. */
function crashIf(when: Crash): void {
  if (crash === when) process.kill(process.pid, 'SIGKILL')
}

const redis = new Redis(url, { keyPrefix, lazyConnect: true })
const holdfast = new Holdfast({ redis, label: shard })

await exportRows()
crashIf('before counting')
// Under its own name the shard counts once, however many of its processes get here.
const left = await holdfast.getCountDownLatch(latch).countDown({ as: shard })
crashIf('after counting')
await tellParent({ type: 'done', left })
await holdfast.close()
// The open channel to the parent would keep this process alive.
process.exit(0)

async function exportRows(): Promise<void> {
  await delay(50 + Math.random() * 100)
}
