import { Holdfast, LockLostError, NotOwnerError, type Lease } from '@holdfast/core'
import type { FencedClient, FencingLease, LockEngine } from '@holdfast/core/engine'
import { until } from '@holdfast/testkit'

/** A database with locks, and with a stock of ten, from which holders take one. */
export interface FencingDatabase<Client extends FencedClient> {
  readonly it: jest.It
  readonly engine: () => LockEngine & { fence(client: Client, lease: FencingLease): Promise<void> }
  /** Two clients. */
  readonly holdfast: () => Holdfast
  readonly rival: () => Holdfast
  /** A connection of the application, in a transaction. It ends with the test. */
  readonly begin: (isolation?: string) => Promise<Client>
  /** What is in stock, for that transaction or for all. */
  readonly left: (client?: Client) => Promise<number>
  readonly write: (client: Client, left: number) => Promise<unknown>
  /** The levels at which the next holder sees what the last one wrote, though it began before. */
  readonly isolations: readonly string[]
  /** How many transactions wait for another one, to fence. */
  readonly waiting: () => Promise<number>
  /** What one of two transactions rejects with that wait for each other. */
  readonly deadlock: object
}

export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  )

/** A holder whose lock was taken from it, and the one that holds it now. */
export async function staleAndCurrent(holdfast: Holdfast, rival: Holdfast): Promise<[Lease, Lease]> {
  const stale = await holdfast.getLock('stock').lock()
  await rival.getLock('stock').forceUnlock()
  return [stale, await rival.getLock('stock').lock()]
}

/** What `lease.fence` does on any database. */
export function describeFencing<Client extends FencedClient>(database: FencingDatabase<Client>): void {
  const { it, engine, begin, left, write } = database
  const lockStock = (options = {}): Promise<Lease> => database.holdfast().getLock('stock').lock(options)
  const rivals = () => database.rival().getLock('stock')
  const takeOne = async (client: Client): Promise<void> => {
    await write(client, (await left(client)) - 1)
  }

  it('a transaction of the current holder commits, may call fence again, and does not hold up the lock itself', async () => {
    const lease = await lockStock()
    const client = await begin()
    await lease.fence(client)
    await lease.fence(client)
    await takeOne(client)
    // With the transaction still open.
    await lease.unlock()
    await rivals().withLock(() => undefined)
    await client.query('commit', [])
    expect(await left()).toBe(9)
  })

  it('a transaction of a holder that lost its lock fails', async () => {
    const [stale, current] = await staleAndCurrent(database.holdfast(), database.rival())
    const failed = await begin()
    const failure = await failureOf(stale.fence(failed))
    expect(failure).toBeInstanceOf(LockLostError)
    // 'revoked' if the notice of the eviction was faster than the database's reply.
    const reason: unknown = expect.stringMatching(/^(not-held|revoked)$/)
    expect(failure).toMatchObject({ lockName: 'stock', owner: stale.owner, reason })
    await failed.query('rollback', [])
    await current.fence(await begin())
  })

  it('a lease that has expired is not the current one, though no one else has the lock', async () => {
    const { kind, name, owner, fencingToken } = await lockStock({ leaseMs: 100 })
    await until(async () => !(await rivals().isLocked()))
    const failure = await failureOf(engine().fence(await begin(), { kind, name, owner, fencingToken }))
    expect(failure).toBeInstanceOf(LockLostError)
  })

  it.each(database.isolations)(
    'at %s the next holder waits for the transaction of one that lost its lock meanwhile, and sees what it wrote',
    async (isolation) => {
      const stale = await lockStock()
      const first = await begin(isolation)
      await stale.fence(first)
      const before = await left(first)
      await rivals().forceUnlock()
      const current = await rivals().lock()
      const second = await begin(isolation)
      let isFenced = false
      const fenced = current.fence(second).then(() => (isFenced = true))
      await until(async () => (await database.waiting()) === 1)
      // The lock itself goes on: the open transaction holds up those alone who fence.
      await current.run(() => rivals().withLock(() => undefined))
      expect(isFenced).toBe(false)
      await write(first, before - 1)
      await first.query('commit', [])
      await fenced
      await takeOne(second)
      await second.query('commit', [])
      expect(await left()).toBe(8)
    },
  )

  it('without it, the holder that lost its lock overwrites what the next one wrote', async () => {
    await staleAndCurrent(database.holdfast(), database.rival())
    const [first, second] = [await begin(), await begin()]
    const before = await left(first)
    await takeOne(second)
    await second.query('commit', [])
    await write(first, before - 1)
    await first.query('commit', [])
    expect(await left()).toBe(9)
  })

  it('a deadlock of two transactions is found', async () => {
    const stock = await lockStock()
    const shop = await database.holdfast().getLock('shop').lock()
    const [first, second] = [await begin(), await begin()]
    await Promise.all([stock.fence(first), shop.fence(second)])
    const crossed = [shop.fence(first), stock.fence(second)].map(failureOf)
    await expect(Promise.race(crossed)).resolves.toMatchObject(database.deadlock)
  })

  it('a client that does not reply is given up after commandTimeoutMs, and gets no second statement', async () => {
    await using patient = new Holdfast({ engine: engine(), commandTimeoutMs: 300 })
    const lease = await patient.getLock('stock').lock()
    const query = jest.fn(() => new Promise(() => undefined))
    const { name } = engine()
    expect(await failureOf(lease.fence({ query }))).toMatchObject({
      ...{ code: 'UNAVAILABLE', lockName: 'stock', owner: lease.owner, engine: name },
      message: expect.stringMatching(/did not reply within 300 ms/) as string,
    })
    expect(query).toHaveBeenCalledTimes(1)
  })

  it('a lease that was released is refused before anything is sent, though an outer one still holds the lock', async () => {
    const outer = await lockStock()
    const inner = await outer.run(() => lockStock())
    await inner.unlock()
    const query = (): Promise<never> => Promise.reject(new Error('nothing is to be sent'))
    expect(await failureOf(inner.fence({ query }))).toBeInstanceOf(NotOwnerError)
    await outer.fence(await begin())
  })

  it('may be called of the engine, with the facts of a lease that another process holds, of a lock alone', async () => {
    const { kind, name, owner, fencingToken } = await lockStock()
    const client = await begin()
    await engine().fence(client, { kind, name, owner, fencingToken })
    await client.query('commit', [])
    const outdated = { kind, name, owner, fencingToken: fencingToken - 1 }
    expect(await failureOf(engine().fence(await begin(), outdated))).toBeInstanceOf(LockLostError)
    const side = { kind: 'write-lock', name, owner, fencingToken }
    const refusal = await failureOf(engine().fence(await begin(), side))
    expect(refusal).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
}
