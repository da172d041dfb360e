// My job takes longer than any lease I would dare to set. What keeps the lock, and what if it is lost anyway?
import { Holdfast, LockLostError, type Lease, type Lock } from '@holdfast/core'
import { setTimeout as delay } from 'node:timers/promises'
import { runLocalExample } from './support/run-local-example.js'

/** Short, so that this takes seconds. The default is 30 seconds. */
const watchdogTimeoutMs = 2_000
const pages = 40
const pageMs = 125

await runLocalExample('long-job', async (store) => {
  await using holdfast = new Holdfast({ ...store, watchdogTimeoutMs, label: 'the job' })
  await using other = new Holdfast({ ...store, label: 'an operator' })
  let renewals = 0
  holdfast.on('renewed', () => {
    renewals += 1
  })
  const report = holdfast.getLock('report')

  console.log(`A job of ${pages * pageMs} ms under a lease of ${watchdogTimeoutMs} ms:`)
  await report.withLock((lease) => Promise.all([printPages(lease), tryToEnter(other)]))
  console.log(`printed all ${pages} pages; the watchdog renewed the lease ${renewals} times`)

  console.log('\nThe same job, and an operator breaks the lock in the middle:')
  await Promise.all([interruptedJob(report), breakLock(other)])
})

async function tryToEnter(rival: Holdfast): Promise<void> {
  await delay(2 * watchdogTimeoutMs)
  const lease = await rival.getLock('report').tryLock()
  console.log(`after two leases, another client ${lease ? 'gets in' : 'does not get in'}`)
}

async function interruptedJob(report: Lock): Promise<void> {
  let printed = 0
  try {
    await report.withLock((lease) => printPages(lease, (page) => (printed = page)))
  } catch (error) {
    if (!(error instanceof LockLostError)) throw error
    console.log(`the job stopped after ${printed} of ${pages} pages: LockLostError, reason ${error.reason}`)
  }
}

/** Stops between two pages, and during one, as soon as the lock is lost. */
async function printPages({ signal }: Lease, onPage?: (page: number) => void): Promise<void> {
  for (let page = 1; page <= pages; page += 1) {
    // Pass the signal to everything abortable; delay() rejects with its own AbortError.
    await delay(pageMs, undefined, { signal }).catch(() => undefined)
    signal.throwIfAborted()
    onPage?.(page)
  }
}

async function breakLock(operator: Holdfast): Promise<void> {
  await delay(10 * pageMs)
  const lock = operator.getLock('report')
  const { holder } = await lock.inspect()
  console.log(`held by process ${holder?.client?.pid} ("${holder?.client?.label}"); forcing it open`)
  await lock.forceUnlock()
}
