import { Holdfast } from '@holdfast/core'
import type { EngineHost, LockEngine } from '@holdfast/core/engine'
import { memory } from '@holdfast/stores/memory'
import fc from 'fast-check'

const rounds = 40_000

it('40,000 notices that nobody sent change nothing', async () => {
  const store = memory()
  const hosts: EngineHost[] = []
  const engine: LockEngine = {
    name: store.name,
    traits: store.traits,
    open: (host) => {
      hosts.push(host)
      return store.open(host)
    },
  }
  const [ann, bob] = [new Holdfast({ engine }), new Holdfast({ engine })]
  const held = await ann.getLock('x').lock()
  const waiting = bob.getLock('x').lock()
  const own = await bob.getLock('own').lock()
  const entered = jest.fn()
  void waiting.then(entered)
  const unhandled = jest.fn()
  process.on('unhandledRejection', unhandled)
  const commandsBefore = store.commands
  const number = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.constant(Number.MAX_SAFE_INTEGER),
  )
  const owner = fc.oneof(
    fc.string(),
    fc.constantFrom(held.owner, own.owner, ...[1, 2, 3].map((n) => `${bob.clientId}:${n}`)),
  )
  const id = fc.oneof(fc.string(), fc.constantFrom('x', 'own', 'x\0latch', 'x\0semaphore'))
  const notice = fc.record({
    id,
    owner,
    proof: fc.string(),
    token: number,
    leaseMs: number,
    serverUs: number,
  })
  for (const [i, each] of fc.sample(notice, { numRuns: rounds, seed: 7 }).entries()) {
    const [, host] = hosts
    if (i % 4 === 0) host?.granted(each.id, each.owner, each)
    else if (i % 4 === 1) host?.revoked(each.owner)
    else if (i % 4 === 2) host?.wake(each.id, each.owner)
    else host?.opened(each.id, each.token)
  }
  await bob.getLock('x').inspect()
  expect(entered).not.toHaveBeenCalled()
  expect([held.isHeld, own.isHeld]).toEqual([true, true])
  // Two subjects once each, and what the client may send beyond that.
  expect(store.commands - commandsBefore).toBeLessThanOrEqual(250)
  await own.unlock()
  await held.unlock()
  await (await waiting).unlock()
  expect(unhandled).not.toHaveBeenCalled()
  process.off('unhandledRejection', unhandled)
  await Promise.all([ann.close(), bob.close()])
})
