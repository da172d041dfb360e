import { Holdfast } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { until } from '@holdfast/testkit'
import { memory } from '../../src/memory/index.js'

/** The engine for a client whose renewals wait on their way there, and whose releases wait on their way back. */
function withHeldSteps(engine: LockEngine) {
  const renewals: (() => void)[] = []
  const releases: (() => void)[] = []
  const slowEngine: LockEngine = {
    name: engine.name,
    traits: engine.traits,
    open: (host) => {
      const session = engine.open(host)
      const { steps } = session
      const renew = steps.renew.bind(steps)
      const release = steps.release.bind(steps)
      const slow: Pick<typeof steps, 'renew' | 'release'> = {
        renew: async (...args) => {
          await new Promise<void>((resolve) => renewals.push(resolve))
          return renew(...args)
        },
        release: async (...args) => {
          const reply = await release(...args)
          await new Promise<void>((resolve) => releases.push(resolve))
          return reply
        },
      }
      Object.assign(steps, slow)
      return session
    },
  }
  return { slowEngine, renewals, releases }
}

it('an extension that a release has overtaken finds no loss', async () => {
  const store = memory()
  const { slowEngine, renewals, releases } = withHeldSteps(store)
  const client = new Holdfast({ engine: slowEngine })
  const other = new Holdfast({ engine: store })
  const lost = jest.fn()
  client.on('lost', lost)
  // It comes after the other one in the order of acquisition.
  const busy = await other.getLock('a').lock()
  const wait = new AbortController()
  const waiting = client.getMultiLock(['a', 'b']).lock({ leaseMs: 6_000, signal: wait.signal })
  const failure = waiting.catch((error: unknown) => error)
  await until(() => renewals.length === 1)
  const isOver = new Promise((resolve) => {
    client.on('released', resolve)
    client.on('lost', resolve)
  })
  const reason = new Error('no longer wanted')
  wait.abort(reason)
  expect(await failure).toBe(reason)
  // Of the hold, and of the queue entry.
  await until(() => releases.length === 2)
  renewals.shift()?.()
  await new Promise(setImmediate)
  for (const letThrough of releases.splice(0)) letThrough()
  await isOver
  expect(lost).not.toHaveBeenCalled()
  await busy.unlock()
  await Promise.all([client.close(), other.close()])
})
