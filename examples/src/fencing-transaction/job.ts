// A process that computes the price list under the lock, and publishes it when its parent says so.
import { Holdfast, LockLostError } from '@holdfast/core'
import { postgres } from '@holdfast/postgres'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { checks, PriceList } from './price-list.js'

const { url, schema, check, watchdogTimeoutMs } = await fromParent('open')
const engine = postgres({ url: String(url), schema: `${String(schema)}_locks` })
const holdfast = new Holdfast({ engine, watchdogTimeoutMs: Number(watchdogTimeoutMs) })
const list = await PriceList.open(String(url), String(schema))

const lease = await holdfast.getLock('price-list').lock()
const draft = await list.compute()
await tellParent({ type: 'computed' })

await fromParent('publish')
// Code in the middle of a job: it does not look whether the lock is still its own.
const chosen = checks.find((each) => each === check) ?? 'nothing'
const outcome = await list.publish(draft, chosen, lease).then(
  () => 'committed',
  (error: unknown) => `rolled back, ${error instanceof LockLostError ? error.name : String(error)}`,
)
await holdfast.close()
await tellParent({ type: 'published', outcome })
