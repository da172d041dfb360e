// One shop process: sells on command from the parent.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { Redis } from 'ioredis'
import { setTimeout as delay } from 'node:timers/promises'
import { buy, buyLocked, payMs } from './buy.js'
import { figures, usersAtShop, variants, type Variant } from './figures.js'
import { Site } from './site.js'

// Ctrl-C reaches every process of a terminal's group. The parent decides when this process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

/**
 * The moment at which everybody clicks: the first payments of all shops are answered together, once each shop has checked
 * for as many requests as it serves at a time. So the race of the naive variant shows on every machine.
 */
function rushHour(): () => Promise<void> {
  const answered = fromParent('paid')
  let asked = 0
  return async () => {
    asked += 1
    if (asked > figures.requestsAtOnce) return
    if (asked === figures.requestsAtOnce) await tellParent({ type: 'checked' })
    await answered
  }
}

async function sell(
  variant: Variant,
  users: readonly string[],
  site: Site,
  holdfast: Holdfast,
): Promise<void> {
  const lock = holdfast.getLock(`sale:${variant}`)
  const pay = variant === 'naive' ? rushHour() : () => delay(payMs)
  // All lanes share one iterator: the next free one serves the next user.
  const queue = users.values()
  const lane = async () => {
    for (const user of queue)
      await (variant === 'naive' ? buy(site, variant, user, pay) : buyLocked(lock, site, variant, user, pay))
  }
  await Promise.all(Array.from({ length: figures.requestsAtOnce }, lane))
}

async function run(): Promise<void> {
  const { url, keyPrefix, n } = await fromParent('open')
  const redis = new Redis(String(url), { keyPrefix: String(keyPrefix) })
  await using holdfast = new Holdfast({ redis, label: `shop ${String(n)}` })
  // A failure also rejects the affected call.
  for (const client of [redis, holdfast]) client.on('error', () => undefined)
  await tellParent({ type: 'ready' })
  for (const variant of variants) {
    await fromParent(`sell ${variant}`)
    await sell(variant, usersAtShop(Number(n)), new Site(redis), holdfast)
    await tellParent({ type: 'sold' })
  }
  await fromParent('close')
}

let exitCode = 0
try {
  await run()
} catch (error) {
  exitCode = 1
  await tellParent({ type: 'failed', error: String(error) }).catch(() => undefined)
}
// The open channel to the parent would keep this process alive.
process.exit(exitCode)
