import { requestOf } from '../../../test/documents/support/request-of.js'
import { freeLock, isEmpty } from './lock-state.js'
import { acquire } from './lock-steps.js'

// The model tries every other mistake in these steps, on this engine and against the other stores.

it('acquire reports the loss to an owner that wants to re-enter and does not hold', () => {
  const state = freeLock()
  const context = { nowUs: 1_000_000_000, tokenFloor: 0, isSubscribed: () => true, notify: () => undefined }
  expect(acquire(state, requestOf('A', { count: 2 }), context)).toEqual({ kind: 'lost' })
  expect(isEmpty(state)).toBe(true)
})
