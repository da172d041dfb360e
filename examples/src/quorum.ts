// Two of my five Redis masters are down. Can my services still lock?
import { HoldfastQuorum } from '@holdfast/core'
import { startIndependents } from '@holdfast/testkit'
import { runProgram } from './support/run-example.js'

await runProgram(async (defer) => {
  const starting = startIndependents(5)
  defer(async () => (await starting).stop())
  const { servers } = await starting
  const masters = servers.map(({ url }) => url)
  console.log(
    `five Redis masters that know nothing of each other: ports ${servers.map(({ port }) => port).join(', ')}`,
  )

  // Masters that have just started have no vote for restartQuarantineMs. These never had any locks to lose.
  const options = { masters, restartQuarantineMs: 0 }
  await using alice = new HoldfastQuorum({ ...options, label: 'Alice' })
  await using bob = new HoldfastQuorum({ ...options, label: 'Bob' })
  for (const client of [alice, bob]) client.on('error', ({ message }) => console.log(`  (${message})`))

  const [first, second, third] = servers
  if (!first || !second || !third) throw new Error('five masters were to start')
  await alice.getFencedLock('stock').withLock(async (held) => {
    console.log(`\nAlice holds the lock, token ${held.fencingToken}`)
    await first.kill()
    await second.freeze()
    console.log('one master was killed, and one is frozen')
    console.log(`Alice still holds it: ${held.isHeld}`)
    const lease = await bob.getFencedLock('stock').tryLock()
    console.log(`Bob gets ${lease ? 'it, too' : 'null'}`)
  })

  await bob
    .getFencedLock('stock')
    .withLock((lease) =>
      console.log(`\nAlice has left, and Bob holds it: ${lease.isHeld}, token ${lease.fencingToken}`),
    )

  await third.kill()
  const startedAt = performance.now()
  const refused = await bob
    .getLock('stock')
    .tryLock()
    .then(
      () => 'the lock',
      (error: unknown) => (error instanceof Error ? error.name : String(error)),
    )
  console.log(
    `\na third master was killed: Bob gets ${refused} after ${Math.round(performance.now() - startedAt)} ms`,
  )
})
