import { lockKind, type LockState } from '../documents/steps/index.js'
import { StateTable } from './state-table.js'

const size = (locks: StateTable<LockState>): number => [...locks.entries()].length
const second = 1_000_000

it('keeps a lock for as long as anything is left of it', () => {
  const locks = new StateTable(lockKind)
  locks.run('x', 0, (state) => (state.hold = { owner: 'A', count: 1, untilUs: second }))
  expect(locks.run('x', second - 1, ({ hold }) => hold?.owner)).toBe('A')
  expect(locks.run('x', second, ({ hold }) => hold)).toBeNull()
  expect(size(locks)).toBe(0)
})

it('forgets, after a while, locks that are no longer in use', () => {
  const locks = new StateTable(lockKind)
  for (let i = 0; i < 500; i++) {
    locks.run(`held ${i}`, 0, (state) => (state.hold = { owner: 'A', count: 1, untilUs: second }))
    locks.run(`abandoned ${i}`, 0, (state) => state.tombstones.set('A', second))
  }
  for (let i = 0; i < 1_000; i++) locks.run('x', second, () => undefined)
  expect(size(locks)).toBe(0)
})
