// A process that looks at the bonus points under the lock, and pays with them when its parent says so.
import { Holdfast } from '@holdfast/core'
import { mysql } from '@holdfast/mysql'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { Account, checks } from './account.js'

const { url, table, check, points, watchdogTimeoutMs } = await fromParent('open')
const engine = mysql({ url: String(url), table: `${String(table)}_locks` })
const holdfast = new Holdfast({ engine, watchdogTimeoutMs: Number(watchdogTimeoutMs) })
const account = await Account.open(String(url), String(table))

const lease = await holdfast.getLock('account:7').lock()
const balance = await account.read()
await tellParent({ type: 'read', points: balance.points })

await fromParent('pay')
// Code in the middle of a checkout: it does not look whether the lock is still its own.
const chosen = checks.find((each) => each === check) ?? 'nothing'
const outcome = await account.pay(Number(points), balance, chosen, lease).then(
  () => 'paid',
  (error: unknown) => `refused, ${String(error)}`,
)
await account.close()
await holdfast.close()
await tellParent({ type: 'done', outcome })
