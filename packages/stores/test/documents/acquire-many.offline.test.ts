import { acquireMany, freeLock, type LockState, type RunStep } from '../../src/documents/steps/index.js'

const nowUs = 1_700_000_000_000_000

it('several locks that are held already keep their tokens and counts, and are busy for others', () => {
  const states = new Map<string, LockState>()
  const stateOf = (id: string): LockState => {
    const state = states.get(id) ?? freeLock()
    states.set(id, state)
    return state
  }
  const run: RunStep = (id, step) =>
    step(stateOf(id), { nowUs, tokenFloor: 0, isSubscribed: () => true, notify: () => undefined })
  const locks = ['a', 'b'].map((id) => ({ address: { name: id, id, group: '' }, owner: 'A:1' }))
  const request = { mode: 'all', leaseMs: 30_000, locks } as const

  const first = acquireMany(request, run)
  expect(first).toEqual({ kind: 'entered', tokens: [nowUs, nowUs] })
  const { hold } = stateOf('a')
  if (hold) hold.count = 2
  expect(acquireMany(request, run)).toEqual(first)
  expect(stateOf('a').hold).toMatchObject({ owner: 'A:1', count: 2 })
  const others = locks.map(({ address }) => ({ address, owner: 'B:1' }))
  expect(acquireMany({ ...request, locks: others }, run)).toMatchObject({
    tokens: [],
    busy: { index: 0, reply: { holder: 'A:1', ttlMs: 30_000 } },
  })
})
