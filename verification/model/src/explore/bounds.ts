import type { Bounds } from './state.js'

/** A writer and its readers: the writer wants all there is. */
export const pair: Bounds = { owners: 2, faults: 0, shared: { size: 2, wants: [2, 1] } }
export const pairWithFault: Bounds = { ...pair, faults: 1 }
export const trio: Bounds = { owners: 3, faults: 0, shared: { size: 2, wants: [2, 1, 1] } }
export const trioWithFault: Bounds = { ...trio, faults: 1 }
export const resized: Bounds = {
  owners: 2,
  faults: 0,
  shared: { size: 3, wants: [2, 1], resizes: [1, 3, 0] },
}

/** One hands over, and one or two take over. */
export const handedOver: Bounds = { owners: 5, faults: 0, nesting: 0, takers: 2 }
export const handedOverWithFault: Bounds = { owners: 4, faults: 1, nesting: 0, takers: 1 }

export const two: Bounds = { owners: 2, faults: 0 }
export const three: Bounds = { owners: 3, faults: 0, nesting: 0 }
export const twoWithFault: Bounds = { owners: 2, faults: 1 }
export const threeWithFault: Bounds = { owners: 3, faults: 1, nesting: 0 }
