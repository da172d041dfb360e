// A server dies while my job runs. Who still has the lock?
import { Holdfast } from '@holdfast/core'
import { parseArgs } from 'node:util'
import { startServers } from './lost-server/servers.js'
import { runProgram } from './support/run-example.js'

await runProgram(async (defer) => {
  const { values } = parseArgs({ options: { engine: { type: 'string', default: 'etcd' } } })
  const starting = startServers(values.engine)
  defer(async () => (await starting).stop())
  const store = await starting
  console.log(`three servers of ${store.name}, of which a majority decides: ${store.addresses.join(', ')}`)

  // Also how long their sessions last. The others take a part of that to elect a leader.
  const watchdogTimeoutMs = 12_000
  await using alice = new Holdfast({ engine: store.engine(), watchdogTimeoutMs, label: 'Alice' })
  await using bob = new Holdfast({ engine: store.engine(), watchdogTimeoutMs, label: 'Bob' })
  for (const client of [alice, bob]) client.on('error', ({ message }) => console.log(`  (${message})`))

  let waiting: Promise<void> | undefined
  await alice.getFencedLock('job').withLock(async (held) => {
    console.log(`\nAlice works, token ${held.fencingToken}`)
    const queued = new Promise((resolve) => bob.once('waiting', resolve))
    waiting = bob
      .getFencedLock('job')
      .withLock((lease) => console.log(`Bob works, token ${lease.fencingToken}, which is larger`))
    await queued
    console.log('Bob waits')

    await store.killLeader()
    console.log('\nthe leader was killed')
    const renewed = new Promise((resolve) => alice.once('renewed', resolve))
    await renewed
    console.log(`the other two have elected another: Alice still holds the lock: ${held.isHeld}`)
    const { holder, waiterCount } = await alice.getLock('job').inspect()
    console.log(`they say so, too: ${holder?.owner === held.owner}; and ${waiterCount} waits, as before`)
  })
  console.log('\nAlice is done')
  await waiting
})
