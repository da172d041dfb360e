import { HoldfastQuorum } from '@holdfast/core'
import { startMemcached } from '@holdfast/testkit'
import { memcached } from '../../src/memcached/index.js'

it('HoldfastQuorum over three memcacheds keeps its holds when one is killed', async () => {
  const servers = await Promise.all([1, 2, 3].map(() => startMemcached()))
  const open = (): HoldfastQuorum => {
    const quorum = new HoldfastQuorum({
      masters: servers.map(({ url }) => ({ engine: memcached({ url, graceMs: 3_000 }) })),
      watchdogTimeoutMs: 6_000,
    })
    quorum.on('error', () => undefined)
    return quorum
  }
  const [holder, rival] = [open(), open()]
  try {
    const lease = await holder.getLock('a').lock()
    let renewals = 0
    holder.on('renewed', () => (renewals += 1))
    await servers[0]?.kill()
    expect(await rival.getLock('a').tryLock({ waitMs: 5_000 })).toBeNull()
    expect(renewals).toBeGreaterThan(0)
    expect(lease.isHeld).toBe(true)
    await lease.unlock()
    await rival.getLock('a').withLock(() => undefined)
    // One that comes back knows nothing, and grants nothing for as long as something may be held that it forgot.
    await servers[0]?.restart()
    await holder.getLock('a').withLock(() => undefined)
  } finally {
    await Promise.all([holder.close(), rival.close()])
    await Promise.all(servers.map((server) => server.stop()))
  }
})
