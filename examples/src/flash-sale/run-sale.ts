import {
  etcdFromDocker,
  etcdFromProgram,
  memcachedFromDocker,
  memcachedFromProgram,
  NoPostgresError,
  openEtcd,
  openMemcached,
  mysqlFromDocker,
  mysqlFromProgram,
  openMysql,
  openPostgres,
  openZooKeeper,
  postgresFromDocker,
  postgresFromPrograms,
  uniqueName,
  zooKeeperFromDocker,
  zooKeeperFromPrograms,
  type OpenedPostgres,
} from '@holdfast/testkit'
import { parseArgs } from 'node:util'
import { openAnyRedis } from '../support/open-any-redis.js'
import { runProgram, withRedis, type ExampleContext } from '../support/run-example.js'
import { isSaleEngine, openSite, saleEngines, type SaleEngine, type Site, type SiteAddress } from './site.js'

/** What a sale runs with. */
export interface SaleContext {
  readonly site: Site
  /** How other processes get at the site; `null` if they cannot. */
  readonly address: SiteAddress | null
  readonly defer: ExampleContext['defer']
}

type Main = (context: SaleContext) => Promise<void>

/** Runs the sale on the engine that `--engine` names, by default on Redis, and leaves nothing behind. Exits as `runProgram`. */
export async function runSale(main: Main): Promise<void> {
  await runProgram(async (defer) => {
    const engine = readEngine()
    if (engine === 'postgres') {
      const finding = findPostgres()
      defer(async () => (await finding)?.stop())
      const found = await finding
      await (found ? onPostgres(found, main, defer) : onPGlite(main, defer))
      return
    }
    if (engine === 'mysql') {
      await onMysql(main, defer)
      return
    }
    const locksAt = engine === 'redis' ? '' : await openLockServer(engine, defer)
    const onRedis = ({ url, keyPrefix }: ExampleContext) =>
      onSite({ engine, url, namespace: keyPrefix, locksAt }, main, defer)
    await withRedis(openAnyRedis(), 'flash-sale', onRedis, defer)
  })
}

/** Opens a server for the locks alone, and prints which. Nothing is installed. */
async function openLockServer(
  engine: 'zookeeper' | 'etcd' | 'memcached',
  defer: ExampleContext['defer'],
): Promise<string> {
  if (engine === 'zookeeper') {
    const opening = openZooKeeper([zooKeeperFromPrograms, zooKeeperFromDocker])
    defer(async () => (await opening).stop())
    const { connect, origin } = await opening
    console.log(`ZooKeeper, with the locks: ${origin}`)
    return connect
  }
  if (engine === 'memcached') {
    const opening = openMemcached([memcachedFromProgram, memcachedFromDocker])
    defer(async () => (await opening).stop())
    const { url, origin } = await opening
    console.log(`memcached, with the locks: ${origin}`)
    return url
  }
  const opening = openEtcd([etcdFromDocker, etcdFromProgram])
  defer(async () => (await opening).stop())
  const { url, origin } = await opening
  console.log(`etcd, with the locks: ${origin}`)
  return url
}

async function onSite(address: SiteAddress, main: Main, defer: ExampleContext['defer']): Promise<void> {
  const site = await openSite(address)
  defer(() => site.close())
  await main({ site, address, defer })
}

/** PG_URL, a container if Docker is running, the programs on this machine; `null` where there is none. */
async function findPostgres(): Promise<OpenedPostgres | null> {
  try {
    return await openPostgres([postgresFromDocker, postgresFromPrograms])
  } catch (error) {
    if (!(error instanceof NoPostgresError)) throw error
    return null
  }
}

async function onPostgres(
  { url, origin }: OpenedPostgres,
  main: Main,
  defer: ExampleContext['defer'],
): Promise<void> {
  const namespace = uniqueName('flash-sale').toLowerCase().replaceAll(/\W/g, '_')
  defer(async () => (await import('./postgres-site.js')).removeSchemas(url, namespace))
  console.log(`PostgreSQL: ${origin}\n`)
  await onSite({ engine: 'postgres', url, namespace, locksAt: url }, main, defer)
}

async function onMysql(main: Main, defer: ExampleContext['defer']): Promise<void> {
  const opening = openMysql([mysqlFromDocker, mysqlFromProgram])
  defer(async () => (await opening).stop())
  const { url, origin } = await opening
  const namespace = uniqueName('flash-sale').toLowerCase().replaceAll(/\W/g, '_')
  defer(async () => (await import('./mysql-site.js')).removeTables(url, namespace))
  console.log(`MySQL or MariaDB: ${origin}\n`)
  await onSite({ engine: 'mysql', url, namespace, locksAt: url }, main, defer)
}

async function onPGlite(main: Main, defer: ExampleContext['defer']): Promise<void> {
  // Loaded on demand: it is large, and most machines never need it.
  const { PGlite } = await import('@electric-sql/pglite')
  const { openPGliteSite } = await import('./postgres-site.js')
  const site = openPGliteSite(await PGlite.create(), 'flash_sale')
  defer(() => site.close())
  console.log('PostgreSQL: the embedded PGlite, for one process only (no other PostgreSQL found)\n')
  await main({ site, address: null, defer })
}

function readEngine(): SaleEngine {
  const { values } = parseArgs({ options: { engine: { type: 'string', default: 'redis' } } })
  if (isSaleEngine(values.engine)) return values.engine
  throw new Error(`--engine is ${saleEngines.join(', ')}, not ${values.engine}`)
}
