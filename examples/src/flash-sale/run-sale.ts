import { openPostgres, uniqueName } from '@holdfast/testkit'
import { parseArgs } from 'node:util'
import { openAnyRedis } from '../support/open-any-redis.js'
import { runProgram, withRedis, type ExampleContext } from '../support/run-example.js'
import { removeSchemas } from './postgres-site.js'
import { openSite, type Site, type SiteAddress } from './site.js'

/** What a sale runs with. */
export interface SaleContext {
  readonly site: Site
  readonly address: SiteAddress
  readonly defer: ExampleContext['defer']
}

/** Runs the sale on Redis, or with `--engine postgres` on PostgreSQL, and leaves nothing behind. Exits as `runProgram`. */
export async function runSale(main: (context: SaleContext) => Promise<void>): Promise<void> {
  await runProgram(async (defer) => {
    const engine = readEngine()
    const open = async (address: SiteAddress): Promise<void> => {
      const site = await openSite(address)
      defer(() => site.close())
      await main({ site, address, defer })
    }
    if (engine === 'postgres') {
      await withPostgres(open, defer)
      return
    }
    const onRedis = ({ url, keyPrefix }: ExampleContext) => open({ engine, url, namespace: keyPrefix })
    await withRedis(openAnyRedis(), 'flash-sale', onRedis, defer)
  })
}

async function withPostgres(
  main: (address: SiteAddress) => Promise<void>,
  defer: ExampleContext['defer'],
): Promise<void> {
  const opening = openPostgres()
  defer(async () => (await opening).stop())
  const { url, origin } = await opening
  const namespace = uniqueName('flash-sale').toLowerCase().replaceAll(/\W/g, '_')
  defer(() => removeSchemas(url, namespace))
  console.log(`PostgreSQL: ${origin}\n`)
  await main({ engine: 'postgres', url, namespace })
}

function readEngine(): SiteAddress['engine'] {
  const { values } = parseArgs({ options: { engine: { type: 'string', default: 'redis' } } })
  if (values.engine === 'redis' || values.engine === 'postgres') return values.engine
  throw new Error(`--engine is redis or postgres, not ${values.engine}`)
}
