import { memory, type MemoryStore } from '@holdfast/stores/memory'
import { until } from '@holdfast/testkit'
import { Holdfast, HoldfastQuorum, type Lease, UnavailableError } from '../src/index.js'
import { closeAfterTest } from './support/clients.js'
import { openQuorumOn } from './support/quorum.js'
import { useStores } from './support/quorum-stores.js'
import type { LockEngine } from '../src/engine/index.js'

const stores = useStores()

const commands = (): number => stores.reduce((sum, store) => sum + store.commands, 0)

describe('what an operator is shown and does', () => {
  /** Of five, the first three have the vote of the holder; of the first one nothing is heard any more. */
  async function holdByBareMajority(): Promise<Lease> {
    const holder = openQuorumOn(stores).on('error', () => undefined)
    for (const store of stores.slice(3)) store.disconnect()
    const lease = await holder.getLock('job').lock()
    for (const store of stores.slice(3)) store.reconnect()
    stores[0]?.disconnect()
    return lease
  }

  const openOperator = (engines: LockEngine[] = [...stores]) =>
    openQuorumOn(engines).on('error', () => undefined)

  it('a hold counts as one though masters that have its votes are silent', async () => {
    const lease = await holdByBareMajority()
    const lock = openOperator().getLock('job')
    expect(await lock.isLocked()).toBe(true)
    expect((await lock.inspect()).holder?.owner).toBe(lease.owner)
    expect(await lock.remainingMs()).toBeGreaterThan(25_000)
    expect(await lock.forceUnlock()).toBe(true)
    expect(lease.isHeld).toBe(false)
    stores[0]?.reconnect()
    await until(async () => (await holdersOf('job')).length === 0)
  })

  it('a vote of one master alone does not make a hold', async () => {
    const [queueMaster] = stores
    if (!queueMaster) throw new Error('there is a queue master')
    const other = await holdAlone(queueMaster, { watchdogTimeoutMs: 20_000 })
    expect(await openOperator().getLock('job').isLocked()).toBe(false)
    await other.unlock()
  })

  it('an owner that keeps a majority was not evicted, and forceUnlock says so', async () => {
    const holder = openQuorumOn(stores)
    const lease = await holder.getLock('job').lock()
    await until(async () => (await holdersOf('job')).length === 5)
    const lock = openOperator(stores.map((store, i) => (i < 3 ? refusingForce(store) : store))).getLock('job')
    await expect(lock.forceUnlock()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/lock job: 3 of 5 are needed, and 3 failed .*no reply/) as string,
    })
    expect(lease.isHeld).toBe(true)
    await lease.unlock()
  })

  it('an owner that is left with a minority was evicted', async () => {
    const holder = openQuorumOn(stores)
    const lease = await holder.getLock('job').lock()
    await until(async () => (await holdersOf('job')).length === 5)
    const lock = openOperator(stores.map((store, i) => (i < 2 ? refusingForce(store) : store))).getLock('job')
    expect(await lock.forceUnlock()).toBe(true)
    await until(() => !lease.isHeld)
    await until(async () => (await holdersOf('job')).length === 0)
  })
})

describe('who evicts reaches the evicted holder', () => {
  const lossOf = async (lease: Lease): Promise<unknown> => {
    await until(() => lease.signal.aborted)
    return lease.signal.reason
  }
  const byAda = {
    reason: 'revoked',
    by: 'ada@ops',
    message: expect.stringMatching(/^the hold was revoked by ada@ops; /) as string,
  }

  it.each([
    ['that it looks up', () => ({})],
    ['that it names', ({ owner }: Lease) => ({ owner })],
  ])('when another client evicts the owner %s', async (_, whom) => {
    const lease = await openQuorumOn(stores).getLock('job').lock()
    const evicted = await openQuorumOn(stores)
      .getLock('job')
      .forceUnlock({ ...whom(lease), by: 'ada@ops' })
    expect(evicted).toBe(true)
    expect(await lossOf(lease)).toMatchObject(byAda)
  })

  it('when its own client evicts it', async () => {
    const lock = openQuorumOn(stores).getLock('job')
    const lease = await lock.lock()
    expect(await lock.forceUnlock({ by: 'ada@ops' })).toBe(true)
    expect(await lossOf(lease)).toMatchObject(byAda)
  })
})

describe('a fenced quorum lock', () => {
  it('has tokens that grow, whichever majority drew them', async () => {
    const tokens: number[] = []
    // The clock of the first store is far ahead: tokens of other majorities must still be larger than its own.
    stores[0]?.advance(3_600_000)
    for (const gone of [[], [0, 1], [3, 4], [1, 2], [0, 4]]) {
      for (const i of gone) stores[i]?.disconnect()
      const quorum = openQuorumOn(stores)
      await quorum.getFencedLock('job').withLock(({ fencingToken }) => tokens.push(fencingToken))
      for (const i of gone) stores[i]?.reconnect()
    }
    expect(tokens).toEqual([...tokens].sort((a, b) => a - b))
    expect(new Set(tokens).size).toBe(5)
  })

  /** The clock of the first store is far ahead, so that it draws the largest token. */
  const drawAhead = async (quorum: HoldfastQuorum): Promise<Lease> => {
    stores[0]?.advance(3_600_000)
    return quorum.getFencedLock('job').lock()
  }

  /** The token that masters draw without the first one. */
  const drawWithoutFirst = async (): Promise<number> => {
    stores[0]?.disconnect()
    const quorum = openQuorumOn(stores).on('error', () => undefined)
    return quorum.getFencedLock('job').withLock(({ fencingToken }) => fencingToken)
  }

  it('has tokens that grow though a master is behind, long after the last hold', async () => {
    const lease = await drawAhead(openQuorumOn(stores))
    const { fencingToken } = lease
    await lease.unlock()
    for (const store of stores) store.advance(20 * 60_000)
    expect(await drawWithoutFirst()).toBeGreaterThan(fencingToken)
  })

  it('has tokens that grow though masters lost what they had during the hold', async () => {
    const lease = await drawAhead(openQuorumOn(stores, { watchdogTimeoutMs: 3_000 }))
    const { fencingToken } = lease
    for (const store of stores.slice(1)) {
      store.failOver()
      await until(async () => (await tokenAt(store)) >= fencingToken)
    }
    await lease.unlock()
    expect(await drawWithoutFirst()).toBeGreaterThan(fencingToken)
  })

  it('gives a token to a hold that had none when it is entered again', async () => {
    const quorum = openQuorumOn(stores)
    await quorum.getLock('job').withLock(async (outer) => {
      expect(() => outer.fencingToken).toThrow(/with a quorum, use getFencedLock/)
      await quorum
        .getFencedLock('job')
        .withLock((inner) => expect(inner.fencingToken).toBe(outer.fencingToken))
    })
  })
})

describe('bad options are refused before anything is sent', () => {
  const masters = () => stores.slice(0, 3).map((engine) => ({ engine }))
  const [url] = ['redis://127.0.0.1:1']
  it.each([
    [{ masters: url }, /masters must be an array of at least 3 masters, got a string/],
    [{ masters: [] }, /masters must be at least 3, got 0/],
    [
      { masters: [url, url, 'redis://127.0.0.1:2'] },
      /independent, but two of them are Redis at 127.0.0.1:1; list/,
    ],
    [{ masters: [{ url }, url, url] }, /unknown option 'url' of masters\[0\]; pass the URL itself/],
    [{ masters: [url, { redis: url }, url] }, /'redis' of masters\[1\]; pass its value in place of/],
    [{ masters: [{ host: 'a', port: 'b' }, url, url] }, /masters\[0\]\.port must be .* 65535, got 'b'/],
    [{ masters: [url, url, { engine: {}, prefix: 'a:' }] }, /unknown option 'prefix' of masters\[2\]; it/],
    [{ minReplicas: 1 }, /minReplicas is not an option of HoldfastQuorum/],
    [{ prefix: 'a:' }, /prefix needs masters on Redis, but masters\[0\] is an engine/],
    [{ masters: [url, url, url], interop: 'redisson' }, /unknown option 'interop'/],
    [{ commandTimeoutMs: 5 }, /memberTimeoutMs instead/],
    [{ memberTimeoutMs: 0 }, /memberTimeoutMs must be an integer from 1/],
    [{ restartQuarantineMs: 500 }, /restartQuarantineMs must be an integer from 30000 .* or 0/],
    [{ leaseMs: 40_000 }, /leaseMs must be at most restartQuarantineMs \(30000\)/],
    [{ wrong: 1 }, /unknown option 'wrong'/],
  ])('%j', (options, message) => {
    const given = { masters: masters(), ...options } as never
    expect(() => new HoldfastQuorum(given)).toThrow(message)
  })

  it('an engine whose holds end with a session', () => {
    const { traits } = memory()
    const zoo = { name: 'zoo', traits: { ...traits, lease: { ...traits.lease, of: 'session' } } }
    const engines = ['a', 'b', 'c'].map(() => ({ engine: { ...zoo, open: () => undefined } }))
    expect(() => new HoldfastQuorum({ masters: engines as never })).toThrow(
      /^masters\[0\] is an engine whose holds end with a session \(zoo\), .*: use one client/,
    )
  })

  it('also those of a call', async () => {
    const quorum = openQuorumOn(stores, { restartQuarantineMs: 30_000 })
    await expect(quorum.getLock('job').lock({ leaseMs: 30_001 })).rejects.toThrow(/restartQuarantineMs/)
    expect(commands()).toBe(0)
    const lease: Lease = await quorum.getLock('job').lock({ leaseMs: 30_000 })
    await expect(lease.extend(31_000)).rejects.toThrow(/restartQuarantineMs/)
    await lease.unlock()
  })
})

/** A hold at one master alone, as a holder has it that nothing is heard of any more. */
async function holdAlone(
  engine: MemoryStore,
  { watchdogTimeoutMs }: { watchdogTimeoutMs: number },
): Promise<Lease> {
  const holdfast = new Holdfast({ engine, commandTimeoutMs: 300 }).on('error', () => undefined)
  closeAfterTest(() => holdfast.close())
  return holdfast.getLock('job').lock({ leaseMs: watchdogTimeoutMs })
}

/** An engine on which nobody can be evicted. */
const refusingForce = (store: MemoryStore): LockEngine => ({
  name: store.name,
  traits: store.traits,
  open(host) {
    const session = store.open(host)
    session.steps.force = () => Promise.reject(new UnavailableError('no reply', { engine: store.name }))
    return session
  },
})

/** The last token at one master. */
async function tokenAt(engine: MemoryStore): Promise<number> {
  await using holdfast = new Holdfast({ engine })
  return (await holdfast.getLock('job').inspect()).fencingToken
}

/** Who holds a lock, master by master. */
async function holdersOf(name: string): Promise<string[]> {
  const owners = stores.map(async (engine) => {
    await using holdfast = new Holdfast({ engine })
    return (await holdfast.getLock(name).inspect()).holder?.owner
  })
  return (await Promise.all(owners)).flatMap((owner) => owner ?? [])
}
