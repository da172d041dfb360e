// Usage: node packages/dashboard/tools/pictures.mjs
// Takes the pictures of docs/production/dashboard.md, in light and dark, and prints what axe says about each page. Needs Chromium and a build.
import { createServer } from 'node:http'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { Holdfast } from '@holdfast/core'
import { createDashboard } from '@holdfast/dashboard'
import { onPath, startRedis } from '@holdfast/testkit'
import axe from 'axe-core'
import { chromium } from 'playwright-core'

const folder = fileURLToPath(new URL('../../../docs/images/dashboard/', import.meta.url))

const redis = await startRedis()
const labels = ['api', 'api', 'worker', 'billing', 'reports']
const clients = labels.map((label) => new Holdfast({ redis: redis.url, label }))
const [api, , worker, billing, reports] = clients
let isBusy = true

/** Something that happens all the time. */
async function work(holdfast, name, holdMs, pauseMs) {
  while (isBusy) {
    const ms = holdMs * (0.5 + Math.random())
    await holdfast.getLock(name()).withLock(() => sleep(ms))
    await sleep(pauseMs * Math.random() * 2)
  }
}

const pick = (names) => () => names[Math.floor(Math.random() ** 1.6 * names.length)]
const orders = pick(Array.from({ length: 30 }, (_, i) => `order:${4200 + i}`))
for (const each of clients.flatMap((client) => Array.from({ length: 5 }, () => work(client, orders, 25, 60))))
  each.catch(() => undefined)
for (const client of clients) work(client, () => 'stock:sku-9911', 60, 90).catch(() => undefined)

for (let i = 0; i < 40; i += 1) await clients[i % 5].getLock(`session:${1000 + i}`).lock()
const stuck = await billing.getLock('invoice:2026-11').lock()
for (const client of [api, worker, reports])
  client
    .getLock(stuck.name)
    .lock()
    .catch(() => undefined)
await reports.getReadWriteLock('catalogue').read.lock()
worker
  .getReadWriteLock('catalogue')
  .write.lock()
  .catch(() => undefined)
await worker.getSemaphore('payment-api', { permits: 4 }).acquire({ permits: 3 })
api
  .getSemaphore('payment-api', { permits: 4 })
  .acquire({ permits: 2 })
  .catch(() => undefined)
await reports.getLock('report:daily').lock()
await api.getLock('report:daily').forceUnlock({ by: 'ann@example.org' })

const dashboard = createDashboard({
  holdfast: new Holdfast({ redis: redis.url, label: 'dashboard' }),
  readOnly: false,
  authorize: () => 'ann@example.org',
})
const server = createServer(dashboard.node)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${server.address().port}/`

const browser = await chromium.launch({
  executablePath: ['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) => onPath(name))[0],
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
})
mkdirSync(folder, { recursive: true })

const places = {
  overview: { hash: '#/', waitMs: 45_000 },
  locks: { hash: '#/locks', waitMs: 2_000 },
  lock: { hash: `#/locks/${encodeURIComponent('stock:sku-9911')}`, waitMs: 15_000 },
  clients: { hash: '#/clients', waitMs: 2_000 },
  evict: { hash: `#/locks/${encodeURIComponent(stuck.name)}`, waitMs: 2_000 },
  disconnected: { hash: '#/', waitMs: 3_000 },
}

/** Both schemes wait at the same time. */
async function take(colorScheme) {
  const context = await browser.newContext({
    viewport: { width: 1120, height: 720 },
    colorScheme,
    bypassCSP: true,
  })
  const page = await context.newPage()
  for (const [name, { hash, waitMs }] of Object.entries(places)) {
    await page.goto(origin + hash)
    await page.locator('main[aria-busy="false"]').waitFor()
    await sleep(waitMs)
    if (name === 'evict') {
      await page
        .getByRole('button', { name: /^Evict/ })
        .first()
        .click()
      await page.getByRole('textbox').fill('invoice:20')
    }
    if (name === 'disconnected') {
      await context.setOffline(true)
      await page.route('**/*', (route) => route.abort())
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
      await page.getByText('Disconnected').waitFor()
    }
    await page.screenshot({ path: `${folder}${name}-${colorScheme}.png` })
    await page.evaluate(axe.source)
    const { passes, violations, incomplete } = await page.evaluate('axe.run()')
    console.log(
      `| ${name} | ${colorScheme} | ${passes.length} | ${violations.length} | ${incomplete.map(({ id, nodes }) => `${id}: ${nodes.length}`).join(', ') || 'none'} |`,
    )
    for (const { id, nodes } of violations)
      console.error(
        id,
        nodes.map(({ html }) => html),
      )
  }
  await context.close()
}

try {
  await Promise.all(['light', 'dark'].map(take))
} finally {
  isBusy = false
  await browser.close()
  dashboard.close()
  server.close()
  for (const client of clients) void client.close()
  await redis.stop()
  process.exit()
}
