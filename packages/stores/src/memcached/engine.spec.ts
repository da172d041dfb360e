import { memcached } from './index.js'

const url = 'memcached://127.0.0.1'

describe('what memcached promises', () => {
  it('is a queue, leases of seconds, and tokens while the data lives', () => {
    expect(memcached({ url }).traits).toEqual({
      kinds: ['shared', 'latch'],
      fifo: true,
      handOff: { pollMs: [20, 40], queued: true },
      lease: { stepMs: 1_000, shortestMs: 3_000, marginMs: 2, keeps: true, handsOver: true },
      fencing: 'while data lives',
      survives: 'nothing',
      force: 'at renewal',
    })
  })

  it('is less without a queue: locks only, in no order', () => {
    const { traits } = memcached({ url, queue: false, pollMs: [5, 9] })
    expect(traits).toMatchObject({ fifo: false, handOff: { pollMs: [5, 9] } })
    expect(traits).not.toHaveProperty('kinds')
  })

  it('has no tokens where locks may be evicted', () => {
    expect(memcached({ url, evictable: 'accepted' }).traits).toMatchObject({ fencing: 'none', evicts: true })
  })
})
