import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { possessionOf } from '../../test/support/possession.js'
import { Frames } from './frames.js'
import type { Possession } from './possession.js'

const address = { id: 'lock:a', group: '', name: 'a' }
async function runInHold(frames: Frames, hold: Possession, fn: () => void | Promise<void>): Promise<void> {
  const body = frames.joinHold(hold, false, undefined)
  assert(body)
  await frames.runInBody(hold, body, fn)
}

const possession = (): Possession => possessionOf(address)

it('clients see their own holds only, nested in either order', async () => {
  const [here, there] = [new Frames(), new Frames()]
  const [hold, other] = [possession(), possession()]
  await runInHold(here, hold, async () => {
    expect(there.enclosingHold(address)).toBeUndefined()
    await runInHold(there, other, () => {
      expect(here.enclosingHold(address)).toBe(hold)
      expect(there.enclosingHold(address)).toBe(other)
    })
    expect(there.enclosingHold(address)).toBeUndefined()
  })
})

it('permits are no hold of the lock that has their address, and are inside all the same', async () => {
  const frames = new Frames()
  await frames.runInBody(possession(), undefined, () => {
    expect(frames.enclosingHold(address)).toBeUndefined()
    expect(frames.isInside).toBe(true)
  })
  expect(frames.isInside).toBe(false)
})

it('many clients burden other async work no more than one', async () => {
  // Before Node 24 each storage in use adds a property to every async resource.
  const burden = (): number => Object.getOwnPropertySymbols(new AsyncResource('other work')).length
  await runInHold(new Frames(), possession(), () => undefined)
  const ofOne = burden()
  for (let client = 0; client < 20; client += 1) await runInHold(new Frames(), possession(), () => undefined)
  expect(burden()).toBe(ofOne)
})

/** Begins when it is awaited, as a query builder does. */
const query = (begin: () => void): PromiseLike<void> => ({
  then: (resolve, reject) => Promise.resolve().then(begin).then(resolve, reject),
})

class LazyPromise extends Promise<void> {
  override readonly then: Promise<void>['then'] = (resolve, reject) =>
    Promise.resolve().then(this.begin).then(resolve, reject)

  constructor(readonly begin: () => void) {
    super(() => undefined)
  }
}

it.each([
  ['a query', query],
  ['a promise with a `then` of its own', (begin: () => void) => new LazyPromise(begin)],
])('what a callback returns begins inside the hold: %s', async (_, made) => {
  const frames = new Frames()
  const hold = possession()
  const body = frames.joinHold(hold, false, undefined)
  assert(body)
  const seen: unknown[] = []
  await frames.runInBody(hold, body, () => made(() => void seen.push(frames.enclosingHold(address))))
  expect(seen).toEqual([hold])
})
