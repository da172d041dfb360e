import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { Lease } from '@holdfast/core'
import { startRedis, uniqueName, type RedisServer } from '@holdfast/testkit'
import type { Browser } from 'playwright-core'
import { serveDashboard, type ServedDashboard } from '../../src/dashboard/index.js'
import { describeInBrowser, launch, openTab } from './support/browser.js'
import { Clients } from './support/clients.js'
import { listen, type Listening } from './support/listening.js'

/** What another program on this machine learns from a browser that visits its server. */
interface OtherServer extends Listening {
  readonly requests: { readonly url: string; readonly headers: IncomingHttpHeaders }[]
}

/** Its page tries to read what the dashboard left in the browser, and to make the browser evict. */
async function otherServer(target: string, eviction: object): Promise<OtherServer> {
  const requests: OtherServer['requests'] = []
  const script = `
    const said = { cookie: document.cookie, session: { ...sessionStorage }, local: { ...localStorage } }
    const evict = (type) => fetch(${JSON.stringify(target)} + '/evict', {
      method: 'POST', credentials: 'include', mode: type === 'text/plain' ? 'no-cors' : 'cors',
      headers: { 'content-type': type }, body: ${JSON.stringify(JSON.stringify(eviction))},
    }).then((response) => response.text(), String)
    Promise.all([evict('application/json'), evict('text/plain')]).then((outcomes) =>
      fetch('/said?' + encodeURIComponent(JSON.stringify({ ...said, outcomes })), { credentials: 'include' }))
      .then(() => { document.title = 'tried' })`
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers })
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(`<!doctype html><title>Other</title><script>${script}</script>`)
  })
  return { ...(await listen(server)), requests }
}

let redis: RedisServer
let lease: Lease
let served: ServedDashboard
let origin: string
let eviction: object
const clients = new Clients()

beforeAll(async () => {
  redis = await startRedis()
})

beforeEach(async () => {
  const holdfast = clients.open(redis.url)
  served = await serveDashboard({ holdfast, readOnly: false, audit: () => undefined })
  origin = new URL(served.url).origin
  lease = await holdfast.getLock(uniqueName('coveted')).lock()
  const { name, owner, kind } = lease
  eviction = { name, owner, kind, typedName: name }
})

afterEach(async () => {
  await served.close()
  await clients.closeAll()
})

afterAll(() => redis.stop())

/** As a program sends it, which can forge every header that a browser sets. */
const replay = (headers: IncomingHttpHeaders): Promise<Response> =>
  fetch(`${origin}/evict`, {
    method: 'POST',
    headers: {
      ...(headers.cookie !== undefined && { cookie: headers.cookie }),
      ...(headers.authorization !== undefined && { authorization: headers.authorization }),
      origin,
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
    },
    body: JSON.stringify(eviction),
  })

it('leaves nothing in a client of HTTP that it would send to another port', async () => {
  for (const path of ['/', '/events?page=overview', `/snapshot?page=overview`]) {
    const response = await fetch(origin + path)
    expect(response.headers.get('set-cookie')).toBeNull()
    await response.body?.cancel()
  }
})

describeInBrowser('in a browser', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launch()
  })

  afterAll(() => browser.close())

  it('another server of this machine gets nothing from the browser with which it could evict', async () => {
    const { page, context } = await openTab(browser)
    const other = await otherServer(origin, eviction)
    try {
      await page.goto(served.url)
      await page.getByText(/^Live/).first().waitFor()
      await page.goto(other.origin)
      await page.waitForFunction("document.title === 'tried'")
      expect(other.requests.map(({ url }) => url)).toContainEqual(expect.stringMatching(/^\/said/))
      for (const { headers } of other.requests) expect((await replay(headers)).status).toBe(401)
      expect(lease.isHeld).toBe(true)
      const token = served.url.slice(served.url.indexOf('token=') + 'token='.length)
      expect(JSON.stringify(other.requests)).not.toContain(token)
    } finally {
      await context.close()
      await other.close()
    }
  })
})
