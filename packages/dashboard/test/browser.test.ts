import { createServer, type Server } from 'node:http'
import type { Holdfast } from '@holdfast/core'
import { startRedis, uniqueName, until, type RedisServer } from '@holdfast/testkit'
import { source as axeSource } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { createDashboard, serveDashboard, type Dashboard } from '../src/index.js'
import { describeInBrowser, launch, openTab, type Tab } from './support/browser.js'
import { Clients } from './support/clients.js'
import { listen, type Listening } from './support/listening.js'
import { untilQuiet } from './support/until-quiet.js'
import { strippingProxy } from './support/stripping-proxy.js'

const hostileNames = {
  'markup and script': `<img src=x onerror="alert(1)"><script>alert(2)</script>`,
  'writing from right to left': `invoice\u202egnp.exe`,
  'another script': `قفل:٤٢`,
  'an emoji of many parts': `👩‍👩‍👧‍👦:🔒`,
  'one kilobyte': 'k'.repeat(1_000),
  'controls and newlines': `a\u0000b\nc\u001b[31m`,
  'characters of addresses': `a/b?c=d&e#f%20;"'`,
}

const longest = 30_000
/** By a stream: where it polls the page says so. */
const live = /^Live, every [\d.]+ m?s$/

describeInBrowser('in a browser', () => {
  let browser: Browser
  let redis: RedisServer
  let holdfast: Holdfast
  let rival: Holdfast
  let dashboard: Dashboard
  let listening: Listening
  let tab: Tab
  let page: Page
  const clients = new Clients()
  const servers: Server[] = []

  beforeAll(async () => {
    ;[browser, redis] = await Promise.all([launch(), startRedis()])
  })

  beforeEach(async () => {
    await redis.call('FLUSHALL')
    holdfast = clients.open(redis.url, { label: 'api' })
    rival = clients.open(redis.url, { label: 'worker' })
    dashboard = createDashboard({
      holdfast,
      readOnly: false,
      authorize: () => 'ann',
      audit: () => undefined,
      everyMs: 250,
    })
    listening = await listen(createServer(dashboard.node))
    tab = await openTab(browser)
    page = tab.page
  })

  afterEach(async () => {
    await tab.context.close()
    dashboard.close()
    await listening.close()
    for (const server of servers.splice(0)) {
      server.close()
      server.closeAllConnections()
    }
    await clients.closeAll()
  })

  afterAll(async () => {
    await browser.close()
    await redis.stop()
  })

  const open = (hash = '', origin = listening.origin): Promise<unknown> => page.goto(`${origin}/${hash}`)
  const lockHash = (name: string, query = ''): string => `#/locks/${encodeURIComponent(name)}${query}`
  const figure = (title: string) =>
    page.locator('.figure', { has: page.getByText(title, { exact: true }) }).locator('.value')
  const shows = (text: string | RegExp): Promise<void> =>
    page.getByText(text).first().waitFor({ timeout: longest })
  const figureIs = (title: string, text: string): Promise<unknown> =>
    until(async () => (await figure(title).textContent()) === text, {
      timeoutMs: longest,
      what: `${title} to be ${text}`,
    })

  it('figures, queues and losses change while they happen', async () => {
    await open()
    await figureIs('Held', '0')
    await shows('Nothing is held, and no client waits.')
    const name = uniqueName('live')
    const lease = await holdfast.getLock(name).lock()
    const waiting = rival.getLock(name).lock()
    await figureIs('Held', '1')
    await figureIs('Waiting', '1')
    await page.getByRole('row', { name }).waitFor()
    await lease.unlock()
    await (await waiting).unlock()
    await figureIs('Held', '0')
    await figureIs('Waiting', '0')
    await holdfast.getLock(name).lock()
    await rival.getLock(name).forceUnlock()
    await figureIs('Lost', '1')
    await shows('revoked')
    expect(tab.problems).toEqual([])
  })

  it('a lock shows its holder, its queue and its history, and goes on to the next holder', async () => {
    const name = uniqueName('watched')
    const lease = await holdfast.getLock(name).lock()
    const waiting = rival.getLock(name).lock()
    waiting.catch(() => undefined)
    await open(lockHash(name))
    const holder = page.getByRole('region', { name: 'Who holds it' })
    await holder.getByText(lease.owner, { exact: true }).first().waitFor()
    await shows('Queue: 1 waiter')
    await lease.unlock()
    const next = await waiting
    await holder.getByText(next.owner, { exact: true }).first().waitFor()
    const seen = page.getByRole('region', { name: 'Holds that were seen' })
    await seen.getByText(lease.owner, { exact: true }).waitFor()
    await next.unlock()
    await shows('Free. It appears here')
    expect(tab.problems).toEqual([])
  })

  it('a semaphore shows how many of its permits are taken, and a latch how many parties counted down', async () => {
    const name = uniqueName('family')
    const permits = await holdfast.getSemaphore(name, { permits: 4 }).acquire({ permits: 3 })
    await holdfast.getCountDownLatch(name).trySetCount(2)
    await open(lockHash(name, '?as=semaphore'))
    await shows('3 of 4 permits taken.')
    await page.goto(`${listening.origin}/${lockHash(name, '?as=latch')}`)
    await shows('0 of 2 parties counted down')
    expect(await page.getByText('No hold has been seen').count()).toBe(0)
    await permits.release()
    expect(tab.problems).toEqual([])
  })

  it('a client that has never reported is not said to hold nothing', async () => {
    const frozen = clients.open(redis.url, { label: 'frozen' })
    await frozen.getLock(uniqueName('frozen')).lock()
    const rollCall = holdfast.rollCall.bind(holdfast)
    jest
      .spyOn(holdfast, 'rollCall')
      .mockImplementation(async (options) =>
        (await rollCall(options)).filter(({ clientId }) => clientId !== frozen.clientId),
      )
    await open(`#/clients/${frozen.clientId}`)
    await shows('It is connected but not reporting.')
    await shows('It has not reported yet.')
    expect(await page.getByText('It holds nothing.').count()).toBe(0)
  })

  it('a link to all clients takes the filter away', async () => {
    await holdfast.getLock(uniqueName('filtered')).lock()
    await open('#/clients')
    const filter = page.getByRole('searchbox', { name: 'Filter' })
    await filter.fill('nobody')
    await shows('No client that is connected matches this filter.')
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Clients' }).click()
    await page.getByRole('row', { name: /api/ }).waitFor()
    expect(await filter.inputValue()).toBe('')
  })

  it('a holder is evicted once the name of the lock has been typed', async () => {
    const name = uniqueName('evicted')
    const lease = await holdfast.getLock(name).lock()
    await open(lockHash(name))
    await page.getByRole('button', { name: `Evict ${lease.owner}` }).click()
    const dialog = page.getByRole('dialog', { name: 'Evict this holder?' })
    const confirm = dialog.getByRole('button', { name: 'Evict', exact: true })
    await dialog.getByRole('textbox').fill(name.slice(0, -1))
    expect(await confirm.isDisabled()).toBe(true)
    expect(lease.isHeld).toBe(true)
    await dialog.getByRole('textbox').fill(name)
    await confirm.click()
    await dialog.getByRole('status').getByText('Evicted.').waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Close')
    expect(lease.signal.reason).toMatchObject({ reason: 'revoked', by: 'ann' })
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await shows('Free. It appears here')
    expect(tab.problems).toEqual([])
  })

  it.each(Object.entries(hostileNames))('a name is text: %s', async (_, hostile) => {
    await holdfast.getLock(hostile).lock()
    rival
      .getLock(hostile)
      .lock()
      .catch(() => undefined)
    await open('#/locks')
    const link = page.getByRole('region', { name: 'Contended locks' }).getByRole('link').first()
    await link.waitFor()
    expect(await page.locator('img, main script').count()).toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await link.click()
    await page.getByRole('button', { name: 'Evict' }).waitFor()
    expect(await page.locator('img, main script').count()).toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    const title = await page.locator('h1 bdi').getAttribute('title')
    expect(title).not.toMatch(/[\u0000-\u001f\u202a-\u202e]/)
    expect(tab.problems).toEqual([])
  })

  it('works below the path of a proxy that strips it', async () => {
    const proxy = strippingProxy('/deep/base', listening.origin)
    servers.push(proxy)
    const { origin } = await listen(proxy)
    await open('', `${origin}/deep/base`)
    await figureIs('Held', '0')
    const name = uniqueName('proxied')
    const lease = await holdfast.getLock(name).lock()
    await figureIs('Held', '1')
    await page.goto(`${origin}/deep/base/${lockHash(name)}`)
    await page.getByRole('button', { name: `Evict ${lease.owner}` }).click()
    await page.getByRole('textbox').fill(name)
    await page.getByRole('button', { name: 'Evict', exact: true }).click()
    await shows('Evicted.')
    expect(tab.problems).toEqual([])
  })

  it('polls where streams do not get through', async () => {
    await page.route('**/events?*', (route) => route.abort())
    await open()
    await shows(/Live, every .* \(polling\)/)
    await figureIs('Held', '0')
    const lease = await holdfast.getLock(uniqueName('polled')).lock()
    await figureIs('Held', '1')
    await lease.unlock()
  })

  it('notices a stream that went silent without an end', async () => {
    let isMute = false
    const server = createServer((request, response) => {
      const wasThere = !isMute
      const write = response.write.bind(response)
      // As behind a connection that broke without a word: the server goes on writing.
      if (request.url?.startsWith('/events')) {
        Object.assign(response, { write: (text: string) => (isMute && wasThere) || write(text) })
      }
      dashboard.node(request, response)
    })
    servers.push(server)
    await open('', (await listen(server)).origin)
    await figureIs('Held', '0')
    isMute = true
    await holdfast.getLock(uniqueName('unseen')).lock()
    await figureIs('Held', '1')
    await shows(/^Live/)
  })

  it('says so when requests get no answer', async () => {
    let isMute = false
    await page.route('**/events?*', (route) => route.abort())
    const server = createServer((request, response) => {
      if (!isMute) dashboard.node(request, response)
    })
    servers.push(server)
    await open('', (await listen(server)).origin)
    await figureIs('Held', '0')
    isMute = true
    await shows('Disconnected')
    isMute = false
    await shows(/^Live/)
  })

  it('closes its stream while the tab is hidden', async () => {
    const calls = jest.spyOn(holdfast, 'rollCall')
    await open()
    await figureIs('Held', '0')
    const hide = (isHidden: boolean): Promise<unknown> =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} })
        document.dispatchEvent(new Event('visibilitychange'))
      `)
    await hide(true)
    await shows('Paused')
    await untilQuiet(calls)
    const before = calls.mock.calls.length
    await hide(false)
    await shows(/^Live/)
    expect(calls.mock.calls.length).toBeGreaterThan(before)
  })

  it.each([
    ['refuses with words of its own', 401, 'Unauthorized', 'you may have to sign in again'],
    ['fails', 502, 'Bad gateway', 'may or may not have been evicted'],
  ])(
    'an eviction says what is known if what is in front of the dashboard %s',
    async (_, status, body, said) => {
      const name = uniqueName('refused')
      const lease = await holdfast.getLock(name).lock()
      await page.route('**/evict', (route) => route.fulfill({ status, body, contentType: 'text/plain' }))
      await open(lockHash(name))
      await page.getByRole('button', { name: `Evict ${lease.owner}` }).click()
      await page.getByRole('textbox').fill(name)
      await page.getByRole('button', { name: 'Evict', exact: true }).click()
      await page.getByRole('dialog').getByRole('status').getByText(said).waitFor()
      expect(lease.isHeld).toBe(true)
    },
  )

  it('streams again after it was refused for a while', async () => {
    let isRefusing = true
    const server = createServer((request, response) => {
      if (isRefusing && /^\/(events|snapshot)/.test(request.url ?? ''))
        response.writeHead(401, { 'content-type': 'text/plain' }).end('sign in')
      else dashboard.node(request, response)
    })
    servers.push(server)
    await open('', (await listen(server)).origin)
    await shows('The dashboard refused: Unauthorized')
    await shows(/Sign in again\.$/)
    isRefusing = false
    await shows(live)
  })

  it('says so when the store is lost, keeps what it showed, and goes on by itself', async () => {
    const own = await startRedis()
    try {
      const client = clients.open(own.url, { commandTimeoutMs: 1_000, watchdogTimeoutMs: 3_000 })
      const lost = createDashboard({ holdfast: client, everyMs: 250 })
      const server = createServer(lost.node)
      servers.push(server)
      await client.getLock('kept').lock()
      await open('', (await listen(server)).origin)
      await figureIs('Held', '1')
      await own.kill()
      await shows('Store unreachable')
      await shows(/Check that the server is up/)
      expect(await figure('Held').textContent()).toBe('1')
      await own.restart()
      await shows(/^Live/)
      await client.getLock('one after').lock()
      await client.getLock('another').lock()
      await figureIs('Held', '2')
      lost.close()
      await client.close()
    } finally {
      await own.stop()
    }
  })

  it('says so when the dashboard is lost, and goes on by itself', async () => {
    await open()
    await figureIs('Held', '0')
    const { port } = new URL(listening.origin)
    await listening.close()
    await shows('Disconnected')
    await shows(/check that the process that serves it is running/)
    const again = createServer(dashboard.node)
    servers.push(again)
    again.listen(Number(port), '127.0.0.1')
    await shows(live)
  })

  it('the address that serveDashboard prints opens it, and the token leaves the address', async () => {
    const served = await serveDashboard({ holdfast, everyMs: 250 })
    try {
      await page.goto(served.url)
      await figureIs('Held', '0')
      expect(page.url()).not.toContain('token')
      const lease = await rival.getLock(uniqueName('served')).lock()
      await figureIs('Held', '1')
      await page.goto(new URL(lockHash(lease.name), page.url()).href)
      await shows(lease.owner)
      expect(await page.getByRole('button', { name: 'Evict' }).count()).toBe(0)
      expect(tab.problems).toEqual([])
    } finally {
      await served.close()
    }
  })

  it('a link opened in a new tab and the address of another dashboard opened in an old one both work', async () => {
    const lease = await holdfast.getLock(uniqueName('linked')).lock()
    rival
      .getLock(lease.name)
      .lock()
      .catch(() => undefined)
    const first = await serveDashboard({ holdfast, everyMs: 250 })
    await page.goto(first.url)
    const link = page.getByRole('link', { name: lease.name })
    const [added] = await Promise.all([
      tab.context.waitForEvent('page'),
      link.click({ modifiers: ['Control'] }),
    ])
    await added.getByText(lease.owner).first().waitFor()
    await first.close()
    await shows('Disconnected')
    const again = await serveDashboard({ holdfast, everyMs: 250, port: Number(new URL(first.url).port) })
    try {
      await shows('Refused')
      const said = await page.getByRole('status').textContent()
      expect(said?.match(/the address that was printed/g)).toHaveLength(1)
      expect(said).not.toMatch(/sign in/i)
      await page.goto(again.url)
      await shows(live)
      expect(page.url()).not.toContain('token')
    } finally {
      await again.close()
    }
  })

  it('a lock beyond those that may be watched is refused with what to do', async () => {
    await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        fetch(`${listening.origin}/snapshot?page=lock&object=lock&name=many-${i}`),
      ),
    )
    await open(lockHash('one too many'))
    await shows(/^The dashboard refused: 200 locks are being watched.* Close pages of other locks/)
    await shows('The page tries again by itself.')
  })

  it('10 000 locks are counted, searched, and not all sent', async () => {
    const prefix = uniqueName('many')
    const holders = Array.from({ length: 4 }, () => clients.open(redis.url, { watchdogTimeoutMs: 60_000 }))
    for (let i = 0; i < 10_000; i += 500) {
      const names = Array.from({ length: 500 }, (_, n) => `${prefix}:${i + n}`)
      await Promise.all(
        names.map((name, n) => (holders[n % holders.length] ?? holdfast).getLock(name).lock()),
      )
    }
    await open('#/')
    await figureIs('Held', '10,000')
    await open('#/locks')
    await shows('Some clients hold or wait for more locks than they list here.')
    for (const view of ['page=overview', 'page=locks', 'page=clients&sheet=0']) {
      const snapshot = await fetch(`${listening.origin}/snapshot?${view}`)
      expect((await snapshot.text()).length).toBeLessThan(50_000)
    }
    expect(await page.getByRole('row').count()).toBeLessThan(200)
    await page.getByRole('searchbox').fill(`${prefix}:4321`)
    await page.getByRole('button', { name: 'Find' }).click()
    await shows(/^1 lock found in/)
    await page.getByRole('link', { name: `${prefix}:4321` }).waitFor()
  })

  it('everything is reached with the keyboard', async () => {
    const name = uniqueName('keys')
    const lease = await holdfast.getLock(name).lock()
    rival
      .getLock(name)
      .lock()
      .catch(() => undefined)
    await open()
    await page.getByRole('row', { name }).waitFor()
    const focused = (): Promise<string> =>
      page.evaluate('document.activeElement.textContent || document.activeElement.tagName')
    const tabTo = (text: string): Promise<unknown> =>
      until(
        async () => {
          await page.keyboard.press('Tab')
          return (await focused()) === text
        },
        { what: `the focus to reach ${text}`, timeoutMs: longest },
      )
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('Overview')
    await tabTo(name)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/${lockHash(name)}`)
    await until(async () => (await focused()) === name, {
      what: 'the focus to be on the heading',
      timeoutMs: longest,
    })
    await tabTo(`Evict ${lease.owner}`)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(lease.isHeld).toBe(true)
  })

  it.each(['light', 'dark'] as const)('axe finds nothing to improve, %s', async (colorScheme) => {
    const name = uniqueName('accessible')
    await holdfast.getLock(name).lock()
    rival
      .getLock(name)
      .lock()
      .catch(() => undefined)
    await holdfast.getLock('gone').lock()
    await rival.getLock('gone').forceUnlock()
    // The content policy keeps scripts out that are not the dashboard's, axe too.
    const checked = await openTab(browser, { colorScheme, bypassCSP: true })
    const places = [
      '#/',
      '#/locks',
      lockHash(name),
      '#/clients',
      `#/clients/${rival.clientId}`,
      lockHash('free'),
    ]
    for (const place of places) {
      await checked.page.goto(`${listening.origin}/${place}`)
      await checked.page
        .locator('main[aria-busy="false"] h2, main[aria-busy="false"] table')
        .first()
        .waitFor()
      await checked.page.addScriptTag({ content: axeSource })
      const found = await checked.page.evaluate(
        'axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)))',
      )
      expect([place, found]).toEqual([place, []])
    }
    await checked.context.close()
  })
})
