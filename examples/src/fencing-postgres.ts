// Redis failed over and lost the lock, so two processes hold it at once. What keeps the older one's write out?
import { Holdfast, LockLostError, type Lease } from '@holdfast/core'
import { once } from 'node:events'
import { requireServerProgram, startPair } from './fencing-postgres/pair.js'
import { Stock, type Check, type Row } from './fencing-postgres/stock.js'
import { openStore } from './fencing-postgres/store.js'
import { runProgram } from './support/run-example.js'

/** Short, so that this takes seconds, and long enough for a failover within it. The default is 30 seconds. */
const watchdogTimeoutMs = 4_000
/** So is this: at its end, A waits this long for a master that is dead. The default is 5 seconds. */
const commandTimeoutMs = 1_000
const words: Readonly<Record<Check, string>> = {
  version: 'the version alone',
  token: 'the fencing token alone',
  both: 'the version and the fencing token',
}

await runProgram(async (defer) => {
  await requireServerProgram()
  const opening = openStore()
  defer(async () => (await opening).close())
  const store = await opening
  console.log(`PostgreSQL: ${store.origin}`)
  const creating = Stock.create(store)
  defer(async () => (await creating).drop())
  const stock = await creating

  const { master, replica, replication } = await startPair(defer)
  console.log('Redis: our own master and replica, since they will fail over\n')
  replication.blackHole('both', { drop: true })
  console.log('Replication is blocked, and neither side has noticed')

  // Two clients represent two processes. A cannot reach the new master: if it could, it would try to renew its hold
  // there at once and learn that it is lost, so both would hold it only for that long.
  await using clientA = new Holdfast({ redis: master.url, watchdogTimeoutMs, commandTimeoutMs })
  await using clientB = new Holdfast({ redis: replica.url })
  // A's Redis dies on purpose; without a listener the process would warn about it.
  clientA.on('error', () => undefined)
  const older = await clientA.getLock('stock').lock()
  console.log('Process A gets the lock from the master')
  await master.kill()
  await replica.call('REPLICAOF', 'NO', 'ONE')
  console.log('The master is dead, the replica is promoted and has never heard of the lock')
  await using newer = await clientB.getLock('stock').lock({ waitMs: 0 })
  console.log('Process B gets the same lock from the new master')
  console.log(`Both hold it, as far as they know: ${older.isHeld && newer.isHeld}`)
  console.log(`The token of B is the larger one: ${newer.fencingToken > older.fencingToken}\n`)

  await sell(stock, 'version', older, newer)
  await sell(stock, 'token', older, newer)
  await sell(stock, 'both', older, newer)

  if (!older.signal.aborted) await once(older.signal, 'abort')
  const reason: unknown = older.signal.reason
  console.log(`At the end of its lease A gets: ${reason instanceof LockLostError ? reason.code : 'nothing'}`)
  console.log(`isHeld: ${older.isHeld} for A, ${newer.isHeld} for B`)
})

/** One row, two holders: A writes between the read and the write of B, and once more after it. */
async function sell(stock: Stock, check: Check, older: Lease, newer: Lease): Promise<void> {
  let sold = 0
  const write = async (who: string, items: number, lease: Lease, { left, version }: Row) => {
    const accepted = await stock.write(check, { left: left - items, version }, lease.fencingToken)
    if (accepted) sold += items
    console.log(`  ${who} ${items}:`.padEnd(32) + (accepted ? 'accepted' : 'refused'))
    return accepted
  }
  console.log(`An update that checks ${words[check]}:`)
  const seenByB = await stock.read(check)
  await write('A sells', 1, older, await stock.read(check))
  const accepted = await write('B sells', 3, newer, seenByB)
  if (!accepted) await write('B reads again and sells', 3, newer, await stock.read(check))
  await write('A reads again and sells', 1, older, await stock.read(check))

  const { left } = await stock.read(check)
  console.log(`  Sold ${sold} of ${Stock.atFirst}, and the row says that ${left} are left\n`)
}
