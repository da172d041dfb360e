import { Holdfast } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { until } from '@holdfast/testkit'
import { memory } from '../src/index.js'

const checksTakeMs = 300

/** An engine whose first-use checks take a while, and that never replies to a request for several locks. */
function slowToStart(engine: LockEngine, timeouts: (number | undefined)[]): LockEngine {
  return {
    name: engine.name,
    traits: engine.traits,
    open: (host) => {
      const session = engine.open(host)
      const prepare = session.prepare.bind(session)
      session.prepare = async (address) => {
        const endAt = performance.now() + checksTakeMs
        await until(() => performance.now() >= endAt)
        await prepare(address)
      }
      session.steps.acquireMany = (_, timeoutMs) => {
        timeouts.push(timeoutMs)
        return new Promise(() => undefined)
      }
      return session
    },
  }
}

it.each([
  ['waitMs', { waitMs: 1_000 }],
  ['one command', { waitMs: 0 }],
])(
  'the first request for several locks and the checks before it take no longer than %s',
  async (_, options) => {
    const timeouts: (number | undefined)[] = []
    const client = new Holdfast({ engine: slowToStart(memory(), timeouts), commandTimeoutMs: 1_000 })
    try {
      await expect(client.getMultiLock(['a', 'b']).lock(options)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
      })
      expect(timeouts).toHaveLength(1)
      expect(timeouts[0]).toBeLessThanOrEqual(1_001 - checksTakeMs)
    } finally {
      await client.close()
    }
  },
)
