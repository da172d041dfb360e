import { writePermits } from '../engine/permits.js'

/** Which side an owner with so many permits is on. */
export const sideOf = (permits: number): 'read-lock' | 'write-lock' =>
  permits < writePermits ? 'read-lock' : 'write-lock'
