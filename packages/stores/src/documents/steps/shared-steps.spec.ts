import { requestOf } from '../../../test/documents/support/request-of.js'
import { freeShared, isSharedEmpty, settleShared, type SharedState } from './shared-state.js'
import * as steps from './shared-steps.js'

// The model tries every other mistake in these steps, on this engine and against the other stores.

const nowUs = 1_000_000_000
const context = { nowUs, tokenFloor: 0, isSubscribed: () => true, notify: () => undefined }
let state: SharedState

beforeEach(() => {
  state = freeShared()
})

/** Of a semaphore of size 3. */
const acquire = (owner: string, count = 1, more = {}) =>
  steps.acquire(state, requestOf(owner, { count, size: 3, ...more }), context)

it('acquire lets owners in while their permits fit, and queues the others', () => {
  expect(acquire('A', 2).kind).toBe('held')
  expect(acquire('B', 1).kind).toBe('held')
  const busy = { kind: 'busy', ttlMs: 30_000, serverUs: nowUs, holder: 'A' }
  expect(acquire('C', 1)).toEqual({ ...busy, position: 1 })
  expect(acquire('D', 1)).toMatchObject({ kind: 'busy', position: 2 })
  expect(acquire('E', 1, { entryTtlMs: 0 })).toMatchObject({ kind: 'busy', position: 0 })
})

it('release leaves nothing behind', () => {
  acquire('A')
  steps.release(state, { owner: 'A', count: 0, tombstoneMs: 0 }, context)
  settleShared(state, nowUs + 60_000_000)
  expect(isSharedEmpty(state)).toBe(true)
})
