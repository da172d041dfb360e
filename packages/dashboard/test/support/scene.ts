import { createServer, type RequestListener, type Server } from 'node:http'
import type { Holdfast, HoldfastOptions } from '@holdfast/core'
import { startRedis, until, type RedisServer } from '@holdfast/testkit'
import type { Browser } from 'playwright-core'
import { createDashboard } from '../../src/index.js'
import { launch, openTab } from './browser.js'
import { Clients } from './clients.js'
import { listen } from './listening.js'

const timeoutMs = 30_000

type Scene = Awaited<ReturnType<typeof begin>>

/** Two clients, a dashboard of the first one, and a browser's tab. */
async function begin(browser: Browser, redis: RedisServer, options: Partial<HoldfastOptions>) {
  await redis.call('FLUSHALL')
  const clients = new Clients()
  const open = (label: string): Holdfast => clients.open(redis.url, { label, ...options })
  const [holdfast, rival] = [open('api'), open('a-worker-with-a-long-label')]
  const audit = (): void => undefined
  const dashboard = createDashboard({
    holdfast,
    readOnly: false,
    authorize: () => 'ann',
    audit,
    everyMs: 250,
  })
  const listening = await listen(createServer(dashboard.node))
  const servers: Server[] = []
  const tab = await openTab(browser)
  const { page } = tab
  const figure = (title: string) =>
    page.locator('.figure', { has: page.getByText(title, { exact: true }) }).locator('.value')
  return {
    ...{ browser, redis, clients, holdfast, rival, dashboard, listening, tab, page, figure },
    open: (hash = '', origin = listening.origin) => page.goto(`${origin}/${hash}`),
    figureIs: (title: string, text: string) =>
      until(async () => (await figure(title).textContent()) === text, {
        timeoutMs,
        what: `${title} to be ${text}`,
      }),
    shows: (text: string | RegExp) => page.getByText(text).first().waitFor({ timeout: timeoutMs }),
    row: (table: string, name: string) =>
      page.getByRole('region', { name: table }).getByRole('row', { name }),
    /** Another server, which ends with the test. Returns its origin. */
    serve: async (answer: RequestListener | Server): Promise<string> => {
      const server = typeof answer === 'function' ? createServer(answer) : answer
      servers.push(server)
      return (await listen(server)).origin
    },
    async end() {
      await tab.context.close()
      dashboard.close()
      await listening.close()
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
      await clients.closeAll()
    },
  }
}

export const lockHash = (name: string, query = ''): string => `#/locks/${encodeURIComponent(name)}${query}`

/** Sets a new scene for each test of the block that calls it. Returns what has that of the running test. */
export function useScene(options: Partial<HoldfastOptions> = {}): () => Scene {
  let all: { browser: Browser; redis: RedisServer } | undefined
  let scene: Scene | undefined
  beforeAll(async () => {
    const [browser, redis] = await Promise.all([launch(), startRedis()])
    all = { browser, redis }
  })
  beforeEach(async () => {
    if (all) scene = await begin(all.browser, all.redis, options)
  })
  afterEach(() => scene?.end())
  afterAll(() => Promise.all([all?.browser.close(), all?.redis.stop()]))
  return () => {
    if (!scene) throw new Error('a scene is set for tests, and not before them')
    return scene
  }
}
