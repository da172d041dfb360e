import {
  openDatabase,
  openEtcd,
  openMemcached,
  openMysql,
  openRedis,
  openZooKeeper,
  type OpenedRedis,
} from '@holdfast/testkit'
import { readSnippets, type Snippet } from './readme-snippets.js'
import { endAll, otherStores, runSnippet, storesOf, type OtherStore } from './support/run-snippet.js'

interface Opened {
  readonly url: string
  stop(): Promise<void>
}

const open: Readonly<Record<OtherStore, () => Promise<Opened>>> = {
  postgres: openDatabase,
  etcd: openEtcd,
  memcached: openMemcached,
  mysql: openMysql,
  zookeeper: openZooKeeper,
  // It runs in the snippet's process.
  pglite: () => Promise.resolve({ url: '@electric-sql/pglite', stop: () => Promise.resolve() }),
}

let redis: OpenedRedis
const opened = new Map<OtherStore, Opened>()

beforeAll(async () => {
  redis = await openRedis()
})

afterEach(endAll)

afterAll(() => Promise.all([redis, ...opened.values()].map((each) => each.stop())))

async function urlsFor(snippet: Snippet): Promise<Map<RegExp, string>> {
  const urls = new Map<RegExp, string>()
  for (const store of storesOf(snippet)) {
    const server = opened.get(store) ?? (await open[store]())
    opened.set(store, server)
    urls.set(otherStores[store], server.url)
  }
  return urls
}

it.each(
  readSnippets()
    .filter((snippet) => storesOf(snippet).length > 0)
    .map((snippet) => [snippet.where, snippet] as const),
)('%s runs, and prints what it says', async (_, snippet) => {
  const printed = await runSnippet(snippet, redis.url, await urlsFor(snippet))
  if (snippet.prints.length > 0) expect(printed).toEqual(snippet.prints)
})
