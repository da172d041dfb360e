import { describeInProcess, globalRunner } from '@holdfast/conformance'
import { Holdfast } from '@holdfast/core'
import { sampled, until } from '@holdfast/testkit'
import { memory } from '../src/index.js'
import { polledQueue } from './support/polled-queue.js'

const store = memory()

describeInProcess(
  {
    name: 'Memory, polled',
    engine: polledQueue(store),
    wipe: () => store.failOver(),
    commandCount: () => store.commands,
  },
  sampled(globalRunner(), 'a polled queue', /queue|order|turn/),
)

/** How many commands 20 clients send in half a second while each waits for the same lock. */
async function commandsOfWaiting(againMsAt?: (position: number) => number): Promise<number> {
  const crowded = memory()
  const engine = polledQueue(crowded, againMsAt)
  const clients = Array.from({ length: 20 }, () => new Holdfast({ engine }))
  const holder = new Holdfast({ engine })
  const lease = await holder.getLock('job').lock()
  const waiting = clients.map((client) => client.getLock('job').withLock(() => undefined))
  await until(() => clients.every((client) => client.stats().waiters === 1))
  const before = crowded.commands
  const endMs = performance.now() + 500
  await until(() => performance.now() > endMs)
  const sent = crowded.commands - before
  await lease.unlock()
  await Promise.all(waiting)
  await Promise.all([holder, ...clients].map((client) => client.close()))
  return sent
}

it('waiters request again when the reply says so: those at the back less often than the next in line', async () => {
  const all = await commandsOfWaiting()
  const some = await commandsOfWaiting((position) => 20 * position)
  expect(all).toBeGreaterThan(150)
  expect(some).toBeLessThan(all / 2)
})
