import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { Frames } from './frames.js'
import type { AnyPossession } from './possession.js'

const address = { id: 'lock:a', group: '', name: 'a' }
function runInHold<T>(frames: Frames<AnyPossession>, hold: AnyPossession, fn: () => T): T {
  const body = frames.joinHold(hold, false, undefined)
  assert(body)
  return frames.runInBody(hold, body, fn)
}

const possession = (): AnyPossession => ({ address, isOver: false, loss: undefined, bodies: undefined })

it('clients see their own holds only, nested in either order', () => {
  const [here, there] = [new Frames(), new Frames()]
  const [hold, other] = [possession(), possession()]
  runInHold(here, hold, () => {
    expect(there.enclosingHold(address)).toBeUndefined()
    runInHold(there, other, () => {
      expect(here.enclosingHold(address)).toBe(hold)
      expect(there.enclosingHold(address)).toBe(other)
    })
    expect(there.enclosingHold(address)).toBeUndefined()
  })
})

it('many clients burden other async work no more than one', () => {
  // Before Node 24 each storage in use adds a property to every async resource.
  const burden = (): number => Object.getOwnPropertySymbols(new AsyncResource('other work')).length
  runInHold(new Frames(), possession(), () => undefined)
  const ofOne = burden()
  for (let client = 0; client < 20; client += 1) runInHold(new Frames(), possession(), () => undefined)
  expect(burden()).toBe(ofOne)
})
