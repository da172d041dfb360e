import { once } from 'node:events'
import { createServer } from 'node:http'
import { startRedis, uniqueName } from '@holdfast/testkit'
import { createDashboard } from '../src/index.js'
import { describeInBrowser } from './support/browser.js'
import { untilQuiet } from './support/until-quiet.js'

import { lockHash, useScene } from './support/scene.js'

/** By a stream: where it polls the page says so. */
const live = /^Live, every [\d.]+ m?s$/

describeInBrowser('in a browser, when not all works,', () => {
  const scene = useScene()

  it('polls where streams do not get through', async () => {
    const { holdfast, page, open, figureIs, shows } = scene()
    await page.route('**/events?*', (route) => route.abort())
    await open()
    await shows(/Live, every .* \(polling\)/)
    await figureIs('Held', '0')
    const lease = await holdfast.getLock(uniqueName('polled')).lock()
    await figureIs('Held', '1')
    await lease.unlock()
  })

  it('notices a stream that went silent without an end', async () => {
    const { holdfast, dashboard, open, figureIs, shows, serve } = scene()
    let isMute = false
    const origin = await serve((request, response) => {
      const wasThere = !isMute
      const write = response.write.bind(response)
      // As behind a connection that broke without a word: the server goes on writing.
      if (request.url?.startsWith('/events')) {
        Object.assign(response, { write: (text: string) => (isMute && wasThere) || write(text) })
      }
      dashboard.node(request, response)
    })
    await open('', origin)
    await figureIs('Held', '0')
    isMute = true
    await holdfast.getLock(uniqueName('unseen')).lock()
    await figureIs('Held', '1')
    await shows(/^Live/)
  })

  it('says so when requests get no answer', async () => {
    const { dashboard, page, open, figureIs, shows, serve } = scene()
    let isMute = false
    await page.route('**/events?*', (route) => route.abort())
    const origin = await serve((request, response) => {
      if (!isMute) dashboard.node(request, response)
    })
    await open('', origin)
    await figureIs('Held', '0')
    isMute = true
    await shows('Disconnected')
    isMute = false
    await shows(/^Live/)
  })

  it('closes its stream while the tab is hidden', async () => {
    const { holdfast, page, open, figureIs, shows } = scene()
    const calls = jest.spyOn(holdfast, 'clientReports')
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
      const { holdfast, page, open } = scene()
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
    const { dashboard, open, shows, serve } = scene()
    let isRefusing = true
    const origin = await serve((request, response) => {
      if (isRefusing && /^\/(events|snapshot)/.test(request.url ?? ''))
        response.writeHead(401, { 'content-type': 'text/plain' }).end('sign in')
      else dashboard.node(request, response)
    })
    await open('', origin)
    await shows('The dashboard refused: Unauthorized')
    await shows(/Sign in again\.$/)
    isRefusing = false
    await shows(live)
  })

  it('says so when the store is lost, keeps what it showed, and goes on by itself', async () => {
    const { clients, figure, open, figureIs, shows, serve } = scene()
    const own = await startRedis()
    try {
      const client = clients.open(own.url, { commandTimeoutMs: 1_000, watchdogTimeoutMs: 3_000 })
      const lost = createDashboard({ holdfast: client, everyMs: 250 })
      await client.getLock('kept').lock()
      await open('', await serve(lost.node))
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
    const { dashboard, listening, open, figureIs, shows, serve } = scene()
    await open()
    await figureIs('Held', '0')
    const { port } = new URL(listening.origin)
    await listening.close()
    await shows('Disconnected')
    await shows(/check that the process that serves it is running/)
    const again = createServer(dashboard.node).listen(Number(port), '127.0.0.1')
    await once(again, 'listening')
    await serve(again)
    await shows(live)
  })
})
