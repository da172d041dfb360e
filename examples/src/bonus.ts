// Two checkouts want 80 of 100 bonus points, and the first one froze and lost its lock. What keeps the points from going below zero?
import { forkWorker, openMysql, uniqueName, type Worker } from '@holdfast/testkit'
import { fileURLToPath } from 'node:url'
import { Account, checks, type Check } from './bonus/account.js'
import { runProgram } from './support/run-example.js'

/** Short, so that this takes seconds. The default is 30 seconds. */
const watchdogTimeoutMs = 2_000
const [has, costs] = [100, 80]
const program = fileURLToPath(new URL('bonus/checkout.js', import.meta.url))
const titles: Readonly<Record<Check, string>> = {
  nothing: 'A write that checks nothing',
  version: 'A write that checks a version column',
  fence: 'A write in a transaction that begins with lease.fence(connection)',
}

await runProgram(async (defer) => {
  const opening = openMysql()
  defer(async () => (await opening).stop())
  const { url, origin } = await opening
  console.log(`MySQL or MariaDB: ${origin}`)
  const table = uniqueName('bonus').toLowerCase().replaceAll(/\W/g, '_')
  const account = await Account.open(url, table)
  defer(async () => {
    await account.drop()
    await account.close()
  })

  const startCheckout = async (check: Check): Promise<Worker> => {
    const starting = forkWorker(program)
    defer(async () => (await starting).kill())
    const checkout = await starting
    await checkout.send({ type: 'open', url, table, check, points: costs, watchdogTimeoutMs })
    // The second one gets the lock when the lease of the first one has expired.
    await checkout.waitFor('read', 30_000)
    return checkout
  }
  const pay = async (checkout: Worker): Promise<string> => {
    await checkout.send({ type: 'pay' })
    checkout.thaw()
    return String((await checkout.waitFor('done', 30_000))['outcome'])
  }

  for (const check of checks) {
    console.log(`\n${titles[check]}:`)
    await account.create(has)
    const a = await startCheckout(check)
    await a.freeze()
    console.log(`  A finds ${has} points, wants ${costs}, and is frozen`)
    const b = await startCheckout(check)
    console.log(`  B gets the lock, finds ${has} points, and wants ${costs}`)
    console.log(`  B: ${await pay(b)}`)
    console.log(`  A thaws: ${await pay(a)}`)
    console.log(`  The account has ${(await account.read()).points} points`)
    await Promise.all([a.kill(), b.kill()])
  }
})
