import { latchKind, noLatch } from '../../src/documents/steps/latch-state.js'
import { freeShared, isSharedEmpty, type SharedState } from '../../src/documents/steps/shared-state.js'

const untilUs = 1_700_000_000_000_000

describe('an object is not forgotten', () => {
  it.each<[what: string, state: Partial<SharedState>]>([
    ['that has a hold', { holds: new Map([['A:1', { permits: 1, token: 1, untilUs }]]) }],
    ['that was resized', { resized: { size: 3, version: 1, id: 'x', untilUs } }],
    ['whose last token counts', { fence: { token: 1, untilUs } }],
    ['that refuses an owner', { tombstones: new Map([['A:1', untilUs]]) }],
  ])('%s', (_, state) => {
    expect(isSharedEmpty(freeShared())).toBe(true)
    expect(isSharedEmpty({ ...freeShared(), ...state })).toBe(false)
  })
})

it('a latch is not forgotten that has a count, or a waiter', () => {
  expect(latchKind.isEmpty(noLatch())).toBe(true)
  expect(latchKind.isEmpty({ ...noLatch(), generation: 1 })).toBe(false)
  expect(latchKind.isEmpty({ ...noLatch(), waiters: new Map([['client', untilUs]]) })).toBe(false)
})
