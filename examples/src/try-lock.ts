// How do I limit a wait, and how do I hold a lock for a fixed time?
import { Holdfast, LockTimeoutError, type Lease } from '@holdfast/core'
import { setTimeout as delay } from 'node:timers/promises'
import { runLocalExample } from './support/run-local-example.js'

await runLocalExample('try-lock', async (store) => {
  await using alice = new Holdfast({ ...store, label: 'Alice' })
  await using bob = new Holdfast({ ...store, label: 'Bob' })
  const printer = bob.getLock('printer')
  const taken = await alice.getLock('printer').lock()

  console.log('Alice holds the printer, and Bob requests it:')
  await report('tryLock()', printer.tryLock())
  await report('tryLock({ waitMs: 1000 })', printer.tryLock({ waitMs: 1_000 }))
  await report('lock({ waitMs: 1000 })', printer.lock({ waitMs: 1_000 }))
  await report('lock({ signal })', printer.lock({ signal: AbortSignal.timeout(1_000) }))

  console.log('\nBob waits up to 5 s and wants the printer for 3 s; Alice unlocks after 200 ms:')
  const request = report(
    'tryLock({ waitMs: 5000, leaseMs: 3000 })',
    printer.tryLock({ waitMs: 5_000, leaseMs: 3_000 }),
  )
  await delay(200)
  await taken.unlock()
  const lease = await request
  if (!lease) throw new Error('Bob was not served')

  console.log('\nOnly its holder renews a fixed lease:')
  console.log(`it has ${lease.remainingMs()} ms left`)
  await lease.extend(4_000)
  console.log(`after extend(4000) it has ${lease.remainingMs()} ms left`)
  const next = await report('Alice: lock()', alice.getLock('printer').lock())
  console.log(`Bob forgot to unlock; isHeld is now ${lease.isHeld} for him`)
  await next?.unlock()
})

/** Prints the outcome, and how long it took. */
async function report(what: string, request: Promise<Lease | null>): Promise<Lease | null> {
  const startedAt = performance.now()
  const [lease, outcome] = await request.then(
    (got) => [got, got ? 'a lease' : 'null'] as const,
    (error: unknown) => [null, reason(error)] as const,
  )
  console.log(`${what.padEnd(40)} ${outcome} after ${Math.round(performance.now() - startedAt)} ms`)
  return lease
}

function reason(error: unknown): string {
  if (error instanceof LockTimeoutError)
    return `LockTimeoutError (queue position ${error.position ?? 'unknown'})`
  return error instanceof Error ? error.name : String(error)
}
