// A job fans out to worker processes. How do I wait for all of them, when one may die and be started again?
import { Holdfast } from '@holdfast/core'
import { fileURLToPath } from 'node:url'
import { forkWorker } from '@holdfast/testkit'
import { runExample, type ExampleContext } from './support/run-example.js'
import type { Crash } from './fan-out/crash.js'

const program = fileURLToPath(new URL('fan-out/shard.js', import.meta.url))
const shards = ['shard-1', 'shard-2', 'shard-3', 'shard-4']
/** What goes wrong with the first process of a shard. */
const crashes: Readonly<Record<string, Crash>> = { 'shard-2': 'before counting', 'shard-3': 'after counting' }

await runExample('fan-out', async (context) => {
  await using holdfast = new Holdfast({ redis: context.redis, label: 'the job' })
  // One name per run: what an earlier run left behind cannot count here.
  const done = holdfast.getCountDownLatch(`export:${holdfast.clientId}`)
  await done.trySetCount(shards.length)
  console.log(`${shards.length} shards to export, each in a process of its own:`)

  const supervised = shards.map((shard) => supervise(shard, done.name, context))
  const opened = done
    .wait()
    .then(() => console.log(`  the latch is open: all ${shards.length} shards are exported`))
  await Promise.all([opened, ...supervised])
  console.log(`parties left: ${String(await done.count())}`)
  await done.delete()
})

/** Runs the shard until one of its processes succeeds, as a supervisor or a job queue would. */
async function supervise(shard: string, latch: string, context: ExampleContext): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const crash = attempt === 1 ? crashes[shard] : undefined
    const left = await runShard(shard, latch, crash ?? 'none', context)
    if (left !== undefined) {
      console.log(`  ${shard}: exported at attempt ${attempt}, ${left} left`)
      return
    }
    if (crash === undefined) throw new Error(`${shard} failed`)
    console.log(`  ${shard}: died ${crash}; starting it again`)
  }
}

/** How many were left once it had counted down; `undefined` when its process died. */
async function runShard(
  shard: string,
  latch: string,
  crash: Crash,
  { url, keyPrefix, defer }: ExampleContext,
): Promise<number | undefined> {
  const worker = await forkWorker(program, { args: [url, keyPrefix, latch, shard, crash] })
  defer(() => worker.kill())
  const { code } = await worker.exited
  const done = worker.messages.find(({ type }) => type === 'done')
  return code === 0 && done ? Number(done['left']) : undefined
}
