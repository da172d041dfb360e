import { Holdfast } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { memory } from '../../src/memory/index.js'

/** The engine for a client whose renewals of one lock are not answered, though those beside it are. */
function silentAbout(engine: LockEngine, lockName: string): LockEngine {
  return {
    name: engine.name,
    traits: engine.traits,
    open: (host) => {
      const session = engine.open(host)
      const { steps } = session
      const renew = steps.renew.bind(steps)
      steps.renew = async (renewals, timeoutMs) => {
        const replies = await renew(renewals, timeoutMs)
        return replies.map((reply, i) => (renewals[i]?.address.name === lockName ? 'no-reply' : reply))
      }
      return session
    },
  }
}

const opened: Holdfast[] = []
function open(lockName: string): Holdfast {
  const client = new Holdfast({ engine: silentAbout(memory(), lockName), watchdogTimeoutMs: 300 })
  opened.push(client)
  return client
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()))
})

it('a renewal without a reply leaves its hold as it was, and those of the same step are renewed', async () => {
  const client = open('silent')
  const held = new Set(['first', 'silent', 'third'])
  const leases = await Promise.all([...held].map((name) => client.getLock(name).lock()))
  const lost = new Promise<string>((resolve) =>
    client.once('lost', ({ name, error }) => resolve(`${name} ${error.reason}`)),
  )
  expect(await lost).toBe('silent expired')
  expect(leases.map(({ isHeld }) => isHeld)).toEqual([true, false, true])
  await Promise.allSettled(leases.map((lease) => lease.unlock()))
})
