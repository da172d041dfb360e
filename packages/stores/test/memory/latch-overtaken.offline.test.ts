import { Holdfast } from '@holdfast/core'
import type { LatchSession, LockEngine } from '@holdfast/core/engine'
import { until } from '@holdfast/testkit'
import { memory } from '../../src/memory/index.js'

const clients: Holdfast[] = []

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
})

function open(engine: LockEngine): Holdfast {
  const client = new Holdfast({ engine })
  clients.push(client)
  return client
}

/** The engine for a client whose replies to waits stay under way until they are let through. */
function withSlowWaits(engine: LockEngine) {
  const held: (() => void)[] = []
  const slow = (latches: LatchSession): LatchSession => ({
    set: (...args) => latches.set(...args),
    countDown: (...args) => latches.countDown(...args),
    delete: (...args) => latches.delete(...args),
    inspect: (...args) => latches.inspect(...args),
    wait: async (...args) => {
      const replies = await latches.wait(...args)
      await new Promise<void>((resolve) => held.push(resolve))
      return replies
    },
  })
  const slowEngine: LockEngine = {
    name: engine.name,
    traits: engine.traits,
    open: (host) => {
      const session = engine.open(host)
      if (!session.latches) throw new Error('no latches')
      return Object.defineProperty(session, 'latches', { value: slow(session.latches) })
    },
  }
  return { slowEngine, held }
}

it('an opening whose notification overtakes the reply to the wait lets the waiter pass', async () => {
  const store = memory()
  const { slowEngine, held } = withSlowWaits(store)
  const [waiter, other] = [open(slowEngine), open(store)]
  await other.getCountDownLatch('x').trySetCount(1)
  const waiting = waiter.getCountDownLatch('x').wait()
  await until(() => held.length === 1)
  await other.getCountDownLatch('x').countDown()
  await until(async () => (await other.getCountDownLatch('x').inspect()).waiterCount === 0)
  held.shift()?.()
  // It asks once more rather than trust a message of which it cannot tell whether it was for this wait.
  await until(() => held.length === 1)
  held.shift()?.()
  await expect(waiting).resolves.toBeUndefined()
})
