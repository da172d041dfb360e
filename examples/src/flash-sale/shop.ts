// One shop process: sells on command from the parent, and reports.
import type { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit'
import { buy, buyLocked } from './buy.js'
import { figures, usersAtShop, variants, type Variant } from './figures.js'
import { openSite, type Site } from './site.js'

// Ctrl-C reaches every process of a terminal's group. The parent decides when this process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

async function sell(variant: Variant, users: readonly string[], site: Site, holdfast: Holdfast) {
  const lock = holdfast.getLock(`sale:${variant}`)
  const request = {
    naive: (user: string) => buy(site, variant, user),
    holdfast: (user: string) => buyLocked(lock, site, variant, user),
  }[variant]

  // All lanes share one iterator: the next free one serves the next user.
  const queue = users.values()
  let served = 0
  let sold = 0
  const lane = async () => {
    for (const user of queue) {
      if (await request(user)) sold += 1
      served += 1
      if (served % 5 === 0) await tellParent({ type: 'progress', served, sold })
    }
  }
  await Promise.all(Array.from({ length: figures.requestsAtOnce }, lane))
  await tellParent({ type: 'sold', served, sold })
}

async function run(): Promise<void> {
  const { engine, url, namespace, n } = await fromParent('open')
  const site = await openSite({
    engine: engine === 'postgres' ? engine : 'redis',
    url: String(url),
    namespace: String(namespace),
  })
  const holdfast = site.openHoldfast(`shop ${String(n)}`)
  await tellParent({ type: 'ready' })
  for (const variant of variants) {
    await fromParent(`sell ${variant}`)
    await sell(variant, usersAtShop(Number(n)), site, holdfast)
  }
  await fromParent('close')
  await holdfast.close()
  await site.close()
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
