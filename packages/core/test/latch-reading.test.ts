import { memory } from '@holdfast/stores/memory'
import { startRedis } from '@holdfast/testkit'
import { Holdfast, UnavailableError } from '../src/index.js'
import { closeAfterTest, closeAll } from './support/clients.js'

afterEach(closeAll)

/** Sending again for a watchdog time would outlast the test. */
const times = { commandTimeoutMs: 300, watchdogTimeoutMs: 600_000 }

async function expectOneAttempt(holdfast: Holdfast, takeAway: () => unknown): Promise<void> {
  holdfast.on('error', () => undefined)
  closeAfterTest(() => holdfast.close())
  const latch = holdfast.getCountDownLatch('day')
  await latch.trySetCount(2)
  await takeAway()
  await expect(latch.count()).rejects.toThrow(UnavailableError)
  await expect(latch.inspect()).rejects.toThrow(UnavailableError)
}

describe('count and inspect of a latch wait for commandTimeoutMs at most', () => {
  it('when Redis is frozen', async () => {
    await using server = await startRedis()
    await expectOneAttempt(new Holdfast({ redis: server.url, ...times }), () => server.freeze())
    await server.thaw()
  })

  it('when memory is disconnected', async () => {
    const engine = memory()
    await expectOneAttempt(new Holdfast({ engine, ...times }), () => engine.disconnect())
    engine.reconnect()
  })
})
