// What happens when a function that holds a lock calls another function that takes the same lock?
import { Holdfast } from '@holdfast/core'
import { maxConcurrent } from './nested-calls/at-once.js'
import { reserve } from './nested-calls/warehouse.js'
import { runLocalExample } from './support/run-local-example.js'

await runLocalExample('nested-calls', async (store) => {
  await using holdfast = new Holdfast(store)
  const lock = holdfast.getLock('order:42')

  console.log('Three functions in three modules, each of which takes the lock of order 42:')
  await lock.withLock(async (lease) => {
    console.log(`checkout     hold count ${lease.holdCount}`)
    await reserve(holdfast, 'order:42')
    console.log(`checkout     hold count ${lease.holdCount}`)
  })
  console.log(`afterwards   ${(await lock.isLocked()) ? 'still locked' : 'free'}`)

  console.log('\nThree tasks in a Promise.all:')
  const outside = await maxConcurrent(lock)
  console.log(`started outside the lock, they exclude each other: ${outside} inside at a time`)
  const inside = await lock.withLock(() => maxConcurrent(lock))
  console.log(
    `started inside the lock, they share their parent's hold and take turns: ${inside} inside at a time`,
  )
})
