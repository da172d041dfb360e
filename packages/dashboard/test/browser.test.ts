import { uniqueName, until } from '@holdfast/testkit'
import { source as axeSource } from 'axe-core'
import { serveDashboard } from '../src/index.js'
import { describeInBrowser, openTab } from './support/browser.js'
import { strippingProxy } from './support/stripping-proxy.js'
import { lockHash, useScene } from './support/scene.js'

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
  const scene = useScene()

  it('figures, queues and losses change while they happen', async () => {
    const { holdfast, rival, tab, page, open, figureIs, shows } = scene()
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
    const { holdfast, rival, tab, page, open, shows } = scene()
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
    const { holdfast, listening, tab, page, open, shows } = scene()
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
    const { redis, clients, holdfast, page, open, shows } = scene()
    const frozen = clients.open(redis.url, { label: 'frozen' })
    await frozen.getLock(uniqueName('frozen')).lock()
    const clientReports = holdfast.clientReports.bind(holdfast)
    jest
      .spyOn(holdfast, 'clientReports')
      .mockImplementation(async (options) =>
        (await clientReports(options)).filter(({ clientId }) => clientId !== frozen.clientId),
      )
    await open(`#/clients/${frozen.clientId}`)
    await shows('It is connected but not reporting.')
    await shows('It has not reported yet.')
    expect(await page.getByText('It holds nothing.').count()).toBe(0)
  })

  it('a link to all clients takes the filter away', async () => {
    const { holdfast, page, open, shows } = scene()
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
    const { holdfast, tab, page, open, shows } = scene()
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
    const { holdfast, rival, tab, page, open } = scene()
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
    const { holdfast, listening, tab, page, open, figureIs, shows, serve } = scene()
    const origin = await serve(strippingProxy('/deep/base', listening.origin))
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

  it('the address that serveDashboard prints opens it, and the token leaves the address', async () => {
    const { holdfast, rival, tab, page, figureIs, shows } = scene()
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
    const { holdfast, rival, tab, page, shows } = scene()
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
    const { listening, open, shows } = scene()
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
    const { redis, clients, holdfast, listening, page, open, figureIs, shows } = scene()
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
    const { holdfast, rival, page, open } = scene()
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
    const { browser, holdfast, rival, listening } = scene()
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
