// A job froze before its transaction and lost its lock. What keeps it from overwriting what the next job has committed?
import { forkWorker, openPostgres, uniqueName, type Worker } from '@holdfast/testkit'
import { fileURLToPath } from 'node:url'
import { checks, PriceList, type Check } from './fencing-transaction/price-list.js'
import { runProgram } from './support/run-example.js'

/** Short, so that this takes seconds. The default is 30 seconds. */
const watchdogTimeoutMs = 2_000
const jobProgram = fileURLToPath(new URL('fencing-transaction/job.js', import.meta.url))
const titles: Readonly<Record<Check, string>> = {
  nothing: 'A transaction that checks nothing',
  fence: 'A transaction that begins with lease.fence(client)',
  version: 'A transaction that checks a version column',
}

await runProgram(async (defer) => {
  const opening = openPostgres()
  defer(async () => (await opening).stop())
  const { url, origin } = await opening
  console.log(`PostgreSQL: ${origin}`)
  const schema = uniqueName('price_list').replace('-', '_')
  const list = await PriceList.open(url, schema)
  defer(() => list.drop())
  await list.create()

  const startJob = async (check: Check): Promise<Worker> => {
    const starting = forkWorker(jobProgram)
    defer(async () => (await starting).kill())
    const job = await starting
    await job.send({ type: 'open', url, schema, check, watchdogTimeoutMs })
    // The second job gets the lock when the lease of the first one has expired.
    await job.waitFor('computed', 30_000)
    return job
  }
  const publish = async (job: Worker): Promise<string> => {
    await job.send({ type: 'publish' })
    job.thaw()
    return String((await job.waitFor('published', 30_000))['outcome'])
  }

  for (const check of checks) {
    console.log(`\n${titles[check]}:`)
    await list.setCosts(100)
    const a = await startJob(check)
    await a.freeze()
    console.log('  A computes prices from costs of 100, and is frozen')
    await list.setCosts(150)
    const b = await startJob(check)
    console.log('  B gets the lock, and computes prices from costs of 150')
    console.log(`  B publishes: ${await publish(b)}`)
    console.log(`  A thaws and publishes: ${await publish(a)}`)
    console.log(`  The price of coffee is ${await list.priceOf('coffee')}, and should be 300`)
    await Promise.all([a.kill(), b.kill()])
  }
})
