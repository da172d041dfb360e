import { Holdfast, UnavailableError } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { until } from '@holdfast/testkit'
import { memory } from '../../src/memory/index.js'

const checksTakeMs = 300

/** An engine whose first-use checks take a while, and that never replies to a request for several locks. */
function slowToStart(engine: LockEngine, onRequestEnd: () => void): LockEngine {
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
      session.steps.acquireMany = (_, timeoutMs) =>
        new Promise((_resolve, reject) => {
          setTimeout(() => {
            onRequestEnd()
            reject(new UnavailableError('no reply', { engine: engine.name }))
          }, timeoutMs)
        })
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
    const onRequestEnd = jest.fn()
    const engine = slowToStart(memory(), onRequestEnd)
    const client = new Holdfast({ engine, commandTimeoutMs: 1_000 })
    try {
      const locking = client.getMultiLock(['a', 'b']).lock(options)
      await expect(locking).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      expect(onRequestEnd).not.toHaveBeenCalled()
    } finally {
      await client.close()
    }
  },
)
