import { createServer } from 'node:http'
import { requirePassword, startRedis, uniqueName, until } from '@holdfast/testkit'
import { createDashboard } from '../src/index.js'
import { describeInBrowser } from './support/browser.js'
import { listen } from './support/listening.js'
import { useScene } from './support/scene.js'

const phone = { width: 375, height: 700 }

describeInBrowser('what is shown is so', () => {
  const scene = useScene({ commandTimeoutMs: 1_000 })

  it('a semaphore shows the permits taken of all, in lists, too, and after a resize', async () => {
    const { holdfast, rival, page, open, shows, row } = scene()
    const name = uniqueName('permits')
    const semaphore = holdfast.getSemaphore(name, { permits: 3 })
    await semaphore.acquire({ permits: 2 })
    const waiting = rival.getSemaphore(name, { permits: 3 }).acquire({ permits: 2 })
    waiting.catch(() => undefined)
    await open('#/locks')
    await row('Contended locks', name).getByText('2 of 3 permits').waitFor()
    await row('The oldest holds', name).getByText('2 of 3 permits').waitFor()
    await page.getByRole('searchbox').fill(name)
    await page.getByRole('button', { name: 'Find' }).click()
    await row('Locks that were found', name).getByText('2 of 3 permits').waitFor()
    await open(`#/locks/${name}?as=semaphore`)
    await shows('2 of 3 permits taken.')
    await semaphore.resize(4)
    await waiting
    await shows('4 of 4 permits taken.')
    await open('#/locks')
    await row('The oldest holds', name).getByText('2 permits, 4 taken').first().waitFor()
  })

  it('a latch has parties and clients that wait, and neither a holder nor a queue', async () => {
    const { holdfast, rival, page, open, shows, row } = scene()
    const name = uniqueName('latch')
    const latch = holdfast.getCountDownLatch(name)
    await latch.trySetCount(3)
    await latch.countDown({ as: 'shard-7' })
    rival
      .getCountDownLatch(name)
      .wait()
      .catch(() => undefined)
    await open('#/locks')
    await row('Contended locks', name).getByText('parties to come').waitFor()
    await page.getByRole('searchbox').fill(name)
    await page.getByRole('button', { name: 'Find' }).click()
    const found = row('Locks that were found', name)
    await found.getByText('1 of 3 parties counted down').waitFor()
    expect(await found.getByText(/free|ms/).count()).toBe(0)
    await open(`#/locks/${name}?as=latch`)
    await shows('1 of 3 parties counted down: shard-7')
    await shows('Waiting: 1 client')
    await row('Clients that wait', 'a-worker')
      .getByText(/^[\d.]+ m?s$/)
      .waitFor()
    expect(await page.locator('main').textContent()).not.toMatch(/queue|holder|Held by/i)
  })

  it('losses of one lock in a row are one line that counts them', async () => {
    const { holdfast, rival, open, row } = scene()
    const name = uniqueName('flapping')
    for (let i = 0; i < 3; i += 1) {
      await holdfast.getLock(name).lock()
      await rival.getLock(name).forceUnlock()
      await until(() => holdfast.stats().lost === i + 1, { what: 'the loss to be seen' })
    }
    await open('#/')
    await row('Holds that were lost', name).getByText('3 times').waitFor()
    expect(await row('Holds that were lost', name).count()).toBe(1)
  })

  it('the token of a lock stays when it is held for longer than the store keeps it', async () => {
    const { redis, rival, open, shows } = scene()
    const lock = rival.getReadWriteLock(uniqueName('long'))
    const lease = await lock.write.lock()
    const [key = ''] = (await redis.call('KEYS', '*:fence')) as string[]
    await redis.call('DEL', key)
    await open(`#/locks/${lock.name}?as=read-write-lock`)
    await shows(`Last known fencing token: ${lease.fencingToken}.`)
  })

  it('a page that is opened in an outage says since when, and that there are no figures', async () => {
    const { clients, page, shows } = scene()
    const own = await startRedis()
    const client = clients.open(own.url, { commandTimeoutMs: 1_000 })
    await client.getLock('kept').lock()
    const lost = createDashboard({ holdfast: client, everyMs: 250 })
    const server = await listen(createServer(lost.node))
    try {
      await fetch(`${server.origin}/snapshot?page=overview`)
      await own.kill()
      await page.goto(`${server.origin}/#/locks/kept`)
      await shows(/^The store has not answered since [\d:]+\.$/)
      await shows('There are no figures: nothing has been seen since this page was opened.')
      expect(await page.getByText('The figures below').count()).toBe(0)
      expect(await page.locator('main').textContent()).not.toMatch(/\d/)
    } finally {
      lost.close()
      await server.close()
      await client.close()
      await own.stop()
    }
  })

  it('a store that refuses the dashboard is not an outage, and the page says what puts it right', async () => {
    const { clients, page, shows } = scene()
    const own = await startRedis()
    const wrong = clients.open(own.url, { commandTimeoutMs: 1_000 })
    const refused = createDashboard({ holdfast: wrong, everyMs: 250 })
    const server = await listen(createServer(refused.node))
    try {
      const fault = await requirePassword(own)
      await page.goto(`${server.origin}/#/`)
      await shows('Store refuses')
      await shows('The store refuses this dashboard.')
      await shows(/it needs a password: put user and password into the URL/)
      expect(await page.getByText(/has not answered|unreachable|The page recovers/).count()).toBe(0)
      await fault.heal()
      await shows(/^Live/)
    } finally {
      refused.close()
      await server.close()
      await wrong.close()
      await own.stop()
    }
  })

  it('all that read a lock are counted where it is contended', async () => {
    const { holdfast, rival, open, row } = scene()
    const name = uniqueName('read')
    for (const client of [holdfast, rival]) await client.getReadWriteLock(name).read.lock()
    holdfast.detached(() => holdfast.getReadWriteLock(name).write.lock()).catch(() => undefined)
    await open('#/')
    await row('Contended locks', name).getByText('and 1 other').waitFor()
  })

  it('figures of clients that have not reported are not zeros', async () => {
    const { holdfast, rival, page, open, shows } = scene()
    await rival.getLock(uniqueName('mute')).lock()
    jest.spyOn(holdfast, 'clientReports').mockResolvedValue([])
    await open('#/')
    await shows(/^without \d clients? that did not report$/)
    const held = page.locator('.figure').first().locator('.value')
    expect(await held.textContent()).toBe('–')
  })

  it('on a phone the holder, the queue and Evict are in view, and a table that goes on has a shadow at that edge', async () => {
    const { holdfast, rival, page, open, row } = scene()
    await page.setViewportSize(phone)
    const name = uniqueName('a-name-that-is-long-as-names-of-locks-are')
    await rival.getLock(name).lock()
    holdfast
      .getLock(name)
      .lock()
      .catch(() => undefined)
    const isInView = (box: { x: number; width: number } | null): boolean =>
      box !== null && box.x >= 0 && box.x + box.width <= phone.width
    await open('#/locks')
    for (const table of ['Contended locks', 'The oldest holds']) {
      const holder = row(table, name).getByText(/^a-worker/)
      expect([table, isInView(await holder.boundingBox())]).toEqual([table, true])
    }
    for (const i of [2, 3, 4]) {
      const figure = row('Contended locks', name)
        .getByRole('cell')
        .nth(i - 1)
      expect([i, isInView(await figure.boundingBox())]).toEqual([i, true])
    }
    expect(await page.locator('[aria-label^="Contended"].more-right').count()).toBe(0)
    await page.getByRole('link', { name }).first().click()
    const table = page.getByRole('region', { name: 'Who holds it' })
    expect(isInView(await table.getByText(/^a-worker/).boundingBox())).toBe(true)
    expect(isInView(await table.getByRole('button', { name: 'Evict' }).boundingBox())).toBe(true)
    for (const i of [2, 3]) {
      const figure = table
        .getByRole('row')
        .last()
        .getByRole('cell')
        .nth(i - 1)
      const box = await figure.boundingBox()
      expect([i, isInView(box)]).toEqual([i, true])
      // Waits until nothing covers the last of its digits.
      const position = { x: (box?.width ?? 0) - 15, y: (box?.height ?? 0) / 2 }
      await figure.click({ trial: true, timeout: 5_000, position })
    }
    expect(await page.locator('[aria-label^="Who"].more-right').count()).toBe(0)
    await page.locator('[aria-label^="Waiters"].more-right:not(.more-left)').waitFor()
    await page.evaluate('document.querySelector(\'[aria-label^="Waiters"]\').scrollLeft = 10_000')
    await page.locator('[aria-label^="Waiters"].more-left:not(.more-right)').waitFor()
    await page.setViewportSize({ ...phone, width: 610 })
    await page.locator('[aria-label^="Who"].more-right').waitFor()
    const shadow = "getComputedStyle(document.querySelector('td.pinned')).boxShadow"
    expect(await page.evaluate(shadow)).not.toBe('none')
    await page.evaluate('document.querySelector(\'[aria-label^="Who"]\').scrollLeft = 10_000')
    await until(async () => (await page.evaluate(shadow)) === 'none')
  })
})
