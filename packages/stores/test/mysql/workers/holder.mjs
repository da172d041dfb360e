// Holds the lock of the stock, and takes one from it when it is told to, in a transaction that the lock fences.
import { Holdfast } from '@holdfast/core'
import { mysql } from '@holdfast/stores/mysql'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { createConnection } from 'mysql2/promise'

const [, , url] = process.argv
const engine = mysql({ url })
const holdfast = new Holdfast({ engine, watchdogTimeoutMs: 1_000 })
holdfast.on('error', () => undefined)
const { kind, name, owner, fencingToken } = await holdfast.getLock('stock').lock()
await tellParent({ type: 'holds' })
await fromParent('go')
const connection = await createConnection(url)
await connection.query('begin')
try {
  // The lease itself would know by now that it is lost: here the database says it.
  await engine.fence(connection, { kind, name, owner, fencingToken })
  await connection.query('update stock set left_over = left_over - 1')
  await connection.query('commit')
  await tellParent({ type: 'done', outcome: 'committed' })
} catch (error) {
  await connection.query('rollback')
  await tellParent({ type: 'done', outcome: error.code })
}
connection.destroy()
await holdfast.close()
process.disconnect()
