// A holder was frozen past its lease and does not know it yet. What keeps its late write out?
import { Holdfast } from '@holdfast/core'
import { forkWorker } from '@holdfast/testkit'
import { fileURLToPath } from 'node:url'
import { FencedStore } from './fencing/store.js'
import { runExample } from './support/run-example.js'

/** Short, so that this takes seconds. The default is 30 seconds. */
const watchdogTimeoutMs = 3_000
const holderProgram = fileURLToPath(new URL('fencing/holder.js', import.meta.url))

await runExample('fencing', async ({ redis, url, keyPrefix, defer }) => {
  const starting = forkWorker(holderProgram)
  defer(async () => (await starting).kill())
  const holder = await starting
  await holder.send({ type: 'open', url, keyPrefix, watchdogTimeoutMs })
  const { fencingToken: oldToken } = await holder.waitFor('holds')
  console.log('Process A holds the lock')
  await holder.freeze()
  console.log('Process A is frozen, as by a pause of its virtual machine')

  await using holdfast = new Holdfast({ redis, watchdogTimeoutMs })
  const store = new FencedStore(redis, 'page')
  await holdfast.getLock('page').withLock(async ({ fencingToken }) => {
    console.log('Process B holds the lock, since the lease of A was not renewed')
    console.log(`The token of B is the larger one: ${fencingToken > Number(oldToken)}`)
    console.log(`Process B writes: ${verdict(await store.write(fencingToken, 'from process B'))}`)
  })

  await holder.send({ type: 'write' })
  holder.thaw()
  const { accepted, isHeld } = await holder.waitFor('wrote')
  console.log('Process A continues where it was, without checking whether it still holds the lock')
  console.log(`Process A writes: ${verdict(accepted === true)}`)
  console.log(`If it had checked, isHeld would have said ${String(isHeld)}`)
  console.log(`In the store: "${await store.read()}"`)
})

function verdict(accepted: boolean): string {
  return accepted ? 'accepted' : 'refused'
}
