// An API allows 10 calls at a time. How do several processes keep to that together?
import { Holdfast } from '@holdfast/core'
import { forkWorker, type Worker } from '@holdfast/testkit'
import { fileURLToPath } from 'node:url'
import { Api } from './api-calls/api.js'
import { figures, variants, type Variant } from './api-calls/figures.js'
import { runExample, type ExampleContext } from './support/run-example.js'

const { allowed, processes, callsPerProcess, callsAtOnce } = figures
/** Short, so that this takes seconds. The default is 30 seconds. */
const watchdogTimeoutMs = 3_000
const heldAtDeath = 4
const program = fileURLToPath(new URL('api-calls/caller.js', import.meta.url))

await runExample('api-calls', async (context) => {
  const api = await Api.open(context)
  const callers = await Promise.all(Array.from({ length: processes }, () => openCaller(context, api)))
  await using holdfast = new Holdfast({ redis: context.redis, watchdogTimeoutMs })

  console.log(`The API allows ${allowed} calls at a time.`)
  console.log(`${processes} processes make ${callsPerProcess} calls each, up to ${callsAtOnce} at a time:`)
  for (const variant of variants) await measure(variant, callers, api)

  const [first] = callers
  if (!first) throw new Error('there is no process')
  await first.send({ type: 'hold', permits: heldAtDeath })
  await first.waitFor('holds')
  const semaphore = holdfast.getSemaphore('api', { permits: allowed })
  console.log(
    `\nA process that holds ${heldAtDeath} permits is killed; ${await semaphore.available()} are free`,
  )
  await first.kill()
  await semaphore.withPermits({ permits: allowed }, (lease) =>
    console.log(`Its permits return by themselves: another process has taken all ${lease.permits}`),
  )
})

async function openCaller({ url, keyPrefix, defer }: ExampleContext, api: Api): Promise<Worker> {
  const starting = forkWorker(program)
  defer(async () => (await starting).kill())
  const caller = await starting
  await caller.send({ type: 'open', url, keyPrefix, apiUrl: api.url, watchdogTimeoutMs })
  await caller.waitFor('ready')
  return caller
}

async function measure(variant: Variant, callers: readonly Worker[], api: Api): Promise<void> {
  await Promise.all(
    callers.map(async (caller) => {
      await caller.send({ type: variant })
      await caller.waitFor('done', 60_000)
    }),
  )
  const { calls, refused, mostAtOnce } = api.takeTraffic()
  console.log(
    `${variant.padEnd(9)}  ${calls} calls, ${refused} of them refused; up to ${mostAtOnce} at a time`,
  )
}
