import type { Address } from '../../src/engine/requests.js'
import type { Possession } from '../../src/ownership/possession.js'

/** A hold that nothing happens to. */
export const possessionOf = (address: Address): Possession => ({
  address,
  kind: 'lock',
  owner: 'client:1',
  count: 1,
  fencingToken: 0,
  loss: undefined,
  isOver: false,
  isHeld: true,
  bodies: undefined,
  remainingMs: () => 1,
  countOf: () => 1,
  enter: () => Promise.resolve(null),
  leave: () => Promise.resolve(),
  extend: () => Promise.resolve(),
})
