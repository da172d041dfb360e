import {
  NoPostgresError,
  openPostgres,
  postgresFromDocker,
  postgresFromPrograms,
  uniqueName,
  type OpenedPostgres,
} from '@holdfast/testkit'
import { parseArgs } from 'node:util'
import { openAnyRedis } from '../support/open-any-redis.js'
import { runProgram, withRedis, type ExampleContext } from '../support/run-example.js'
import { openSite, type Site, type SiteAddress } from './site.js'

/** What a sale runs with. */
export interface SaleContext {
  readonly site: Site
  /** How other processes get at the site; `null` if they cannot. */
  readonly address: SiteAddress | null
  readonly defer: ExampleContext['defer']
}

type Main = (context: SaleContext) => Promise<void>

/** Runs the sale on Redis, or with `--engine postgres` on PostgreSQL, and leaves nothing behind. Exits as `runProgram`. */
export async function runSale(main: Main): Promise<void> {
  await runProgram(async (defer) => {
    if (readEngine() === 'postgres') {
      const finding = findPostgres()
      defer(async () => (await finding)?.stop())
      const found = await finding
      await (found ? onPostgres(found, main, defer) : onPGlite(main, defer))
      return
    }
    const onRedis = ({ url, keyPrefix }: ExampleContext) =>
      onSite({ engine: 'redis', url, namespace: keyPrefix }, main, defer)
    await withRedis(openAnyRedis(), 'flash-sale', onRedis, defer)
  })
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
  await onSite({ engine: 'postgres', url, namespace }, main, defer)
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

function readEngine(): SiteAddress['engine'] {
  const { values } = parseArgs({ options: { engine: { type: 'string', default: 'redis' } } })
  if (values.engine === 'redis' || values.engine === 'postgres') return values.engine
  throw new Error(`--engine is redis or postgres, not ${values.engine}`)
}
