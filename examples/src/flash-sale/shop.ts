// One shop process: sells on command from the parent, and reports.
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { usersAtShop, variants } from './figures.js'
import { sell } from './sell.js'
import { isSaleEngine, openSite } from './site.js'

// Ctrl-C reaches every process of a terminal's group. The parent decides when this process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

async function run(): Promise<void> {
  const { engine, url, namespace, locksAt, n } = await fromParent('open')
  const site = await openSite({
    engine: isSaleEngine(engine) ? engine : 'redis',
    url: String(url),
    namespace: String(namespace),
    locksAt: String(locksAt),
  })
  const holdfast = site.openHoldfast(`shop ${String(n)}`)
  await tellParent({ type: 'ready' })
  for (const variant of variants) {
    await fromParent(`sell ${variant}`)
    const tell = (served: number, sold: number) => tellParent({ type: 'progress', served, sold })
    await sell(variant, usersAtShop(Number(n)), site, holdfast, tell)
    await tellParent({ type: 'sold' })
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
