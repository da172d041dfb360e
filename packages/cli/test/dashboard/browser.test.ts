import { createServer } from 'node:http'
import type { Holdfast } from '@holdfast/core'
import { startRedis, uniqueName, until, type RedisServer } from '@holdfast/testkit'
import { source as axeSource } from 'axe-core'
import type { Browser } from 'playwright-core'
import { createDashboard, serveDashboard } from '../../src/dashboard/index.js'
import { describeInBrowser, launch, openTab, type Tab } from './support/browser.js'
import { Clients } from './support/clients.js'
import { listen, type Listening } from './support/listening.js'

const hostileNames = [
  `<img src=x onerror="alert(1)"><script>alert(2)</script>`,
  `invoice\u202egnp.exe`,
  `قفل:٤٢`,
  'k'.repeat(1_000),
  `a\u0000b\nc\u001b[31m`,
  `a/b?c=d&e#f%20;"'`,
]

describeInBrowser('in a browser', () => {
  const clients = new Clients()
  let redis: RedisServer
  let browser: Browser
  let tab: Tab
  let holdfast: Holdfast
  let listening: Listening

  beforeAll(async () => {
    ;[browser, redis] = await Promise.all([launch(), startRedis()])
  })
  beforeEach(async () => {
    await redis.call('FLUSHALL')
    holdfast = clients.open(redis.url, { label: 'api' })
    const dashboard = createDashboard({
      ...{ holdfast, readOnly: false, authorize: () => 'ann', audit: () => undefined },
    })
    listening = await listen(createServer(dashboard.node))
    tab = await openTab(browser)
  })
  afterEach(async () => {
    await tab.context.close()
    await listening.close()
    await clients.closeAll()
  })
  afterAll(() => Promise.all([browser.close(), redis.stop()]))

  it('the list and a lock change while they are seen, and a holder is evicted once the name is typed', async () => {
    const { page } = tab
    await page.goto(`${listening.origin}/`)
    await page.getByText('Nothing is held, and no client waits.').waitFor()
    const name = uniqueName('live')
    const lease = await holdfast.getLock(name).lock()
    const waiting = clients.open(redis.url, { label: 'rival' }).getLock(name).lock()
    await page.getByRole('link', { name }).click()
    const details = page.getByRole('region', { name })
    await details.getByText('Held, 1 waiter').waitFor()
    await details.getByRole('button', { name: `Evict ${lease.owner}` }).click()
    const dialog = page.getByRole('dialog', { name: 'Evict this holder?' })
    const confirm = dialog.getByRole('button', { name: 'Evict', exact: true })
    await dialog.getByRole('textbox').fill(name.slice(0, -1))
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill(name)
    await confirm.click()
    await dialog.getByText('Evicted.').waitFor()
    expect(lease.isHeld).toBe(false)
    await dialog.getByRole('button', { name: 'Close' }).click()
    const next = await waiting
    await details.getByText(next.owner).waitFor()
    await next.unlock()
    await details.getByText('Free').waitFor()
    expect(tab.problems).toEqual([])
  })

  it('names are text, whatever is in them, and lead to their lock', async () => {
    const { page } = tab
    for (const name of hostileNames) await holdfast.getLock(name).lock()
    await page.goto(`${listening.origin}/`)
    for (const name of hostileNames) {
      const link = page.locator(`a[href="#/${encodeURIComponent(name).replaceAll("'", "\\'")}"]`)
      await link.click()
      await page.locator('.details').getByText('Held', { exact: true }).waitFor()
    }
    expect(await page.locator('img, #app script').count()).toBe(0)
    expect(tab.problems).toEqual([])
  })

  it('says when the dashboard does not answer, keeps what it showed, and goes on by itself', async () => {
    const { page } = tab
    const name = uniqueName('kept')
    await holdfast.getLock(name).lock()
    await page.goto(`${listening.origin}/`)
    await page.getByRole('link', { name }).waitFor()
    await page.route('**/list', (route) => route.abort())
    await page.getByRole('alert').getByText('What is shown is from before.').waitFor()
    expect(await page.getByRole('link', { name }).isVisible()).toBe(true)
    await page.unroute('**/list')
    await page.getByText('Live', { exact: true }).waitFor()
  })

  it('the token moves from the address into the tab, and opens the page there', async () => {
    const served = await serveDashboard({ holdfast })
    const { page } = tab
    await page.goto(served.url)
    await page.getByText('Live', { exact: true }).waitFor()
    expect(page.url()).toBe(`${new URL(served.url).origin}/`)
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    const stranger = await openTab(browser)
    await stranger.page.goto(new URL(served.url).origin)
    await stranger.page.getByText('printed when the dashboard started').first().waitFor()
    await stranger.context.close()
    await served.close()
  })

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)(
    '%s and %i wide, it has no fault of accessibility and scrolls to no side',
    async (colorScheme, width) => {
      const seen = await openTab(browser, { colorScheme, viewport: { width, height: 844 } })
      const { page } = seen
      const rival = clients.open(redis.url, { label: 'worker' })
      const leases = await Promise.all(
        ['order:42', 'report:daily', 'k'.repeat(100)].map((name) => holdfast.getLock(name).lock()),
      )
      const waiting = rival.getLock('order:42').lock()
      waiting.catch(() => undefined)
      await holdfast.getSemaphore('api', { permits: 3 }).acquire({ permits: 2 })
      await page.goto(`${listening.origin}/#/${encodeURIComponent('order:42')}`)
      await page.locator('.details').getByText('Held, 1 waiter').waitFor()
      await until(async () => (await page.locator('tbody tr').count()) === 4)
      await page.evaluate(axeSource)
      const faults = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
        }
        const { violations } = await axe.run()
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)
      })
      expect(faults).toEqual([])
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect(overflow).toBeLessThanOrEqual(0)
      if (process.env['HOLDFAST_PICTURES'] !== undefined)
        await page.screenshot({
          path: `${process.env['HOLDFAST_PICTURES']}/${colorScheme}-${width}.png`,
          fullPage: true,
        })
      await seen.context.close()
      await Promise.all(leases.map((lease) => lease.unlock()))
      await (await waiting).unlock()
    },
  )
})
