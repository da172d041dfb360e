import { heirOfOwner, ownerOf, proofOf, unitMs, type Step, type StepOf } from '@holdfast/model'

export type Client = 'A' | 'B' | 'C' | 'D'
type Acquire = StepOf<'acquire'>
type Making = (client: Client, count?: number, more?: Partial<Acquire>) => Step

/** Requests that do not wait, on an object of that size; `undefined`: on a lock. */
export const acquiring =
  (size?: number): Making =>
  (client, count = 1, more = {}) => ({
    kind: 'acquire',
    owner: ownerOf(client),
    proof: proofOf(ownerOf(client)),
    count,
    size,
    leaseMs: 6.25 * unitMs,
    entryTtlMs: 0,
    grantLeaseMs: 3.25 * unitMs,
    tokenFloor: 0,
    ...more,
  })
export const short = { leaseMs: 1.25 * unitMs }
export const release = (client: Client, count = 0, tombstoneUnits = 0, tokenFloor = 0): Step => ({
  kind: 'release',
  owner: ownerOf(client),
  count,
  tombstoneMs: tombstoneUnits * unitMs,
  tokenFloor,
})
/** A release that keeps the lock. */
export const keep = (client: Client, units: number): Step => ({
  kind: 'release',
  owner: ownerOf(client),
  count: 0,
  tombstoneMs: 0,
  keepMs: units * unitMs,
  tokenFloor: 0,
})
/** A release that hands the lock over. */
export const handOver = (client: Client, units: number): Step => ({
  kind: 'release',
  owner: ownerOf(client),
  count: 0,
  tombstoneMs: 0,
  keepMs: units * unitMs,
  heir: heirOfOwner(ownerOf(client)),
  tokenFloor: 0,
})
export const force = (client: Client, tokenFloor = 0): Step => ({
  kind: 'force',
  owner: ownerOf(client),
  tokenFloor,
})
export const resize = (size: number, version: number, id: string, units = 4.5): Step => ({
  kind: 'resize',
  size,
  keepMs: units * unitMs,
  version,
  id,
  tokenFloor: 0,
})
export const renew = (client: Client, units: number): Step => ({
  kind: 'renew',
  owner: ownerOf(client),
  leaseMs: units * unitMs,
})
export const refresh = (client: Client, units = 2.75): Step => ({
  kind: 'refresh',
  owner: ownerOf(client),
  entryTtlMs: units * unitMs,
})
export const pass = (units: number): Step => ({ kind: 'pass', ms: units * unitMs })
export const deafen = (client: Client): Step => ({ kind: 'unsubscribe', owner: ownerOf(client) })
export const inspect: Step = { kind: 'inspect', limit: 10 }
