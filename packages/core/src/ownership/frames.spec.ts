import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { Frames } from './frames.js'
import type { AnyPossession } from './possession.js'

const address = { id: 'lock:a', group: '', name: 'a' }
async function runInHold(
  frames: Frames<AnyPossession>,
  hold: AnyPossession,
  fn: () => void | Promise<void>,
): Promise<void> {
  const body = frames.joinHold(hold, false, undefined)
  assert(body)
  await frames.runInBody(hold, body, fn)
}

const possession = (): AnyPossession => ({ address, isOver: false, loss: undefined, bodies: undefined })

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

it('many clients burden other async work no more than one', async () => {
  // Before Node 24 each storage in use adds a property to every async resource.
  const burden = (): number => Object.getOwnPropertySymbols(new AsyncResource('other work')).length
  await runInHold(new Frames(), possession(), () => undefined)
  const ofOne = burden()
  for (let client = 0; client < 20; client += 1) await runInHold(new Frames(), possession(), () => undefined)
  expect(burden()).toBe(ofOne)
})
