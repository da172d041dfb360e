import { Holdfast, type Lease } from '@holdfast/core'
import { Client } from 'pg'
import {
  findPgBouncer,
  onOwnPostgres,
  skippedIf,
  startPgBouncer,
  startPostgres,
  startProxy,
  uniqueName,
  until,
  type PgBouncer,
  type PostgresServer,
} from '@holdfast/testkit'
import { postgres, type PostgresSchemaOptions } from '../../src/postgres/index.js'

const it = onOwnPostgres(globalThis.it)

const whySkipped = findPgBouncer() === undefined && 'there is no pgbouncer on the PATH'

const waitMs = 60_000
/** How soon a client behind PgBouncer gives up the test of its notifications. */
const commandTimeoutMs = 2_000

interface Watched {
  readonly holdfast: Holdfast
  readonly warnings: { readonly code: string; readonly message: string }[]
  readonly lost: string[]
}

skippedIf(whySkipped, describe)('PgBouncer in transaction mode', () => {
  let server: PostgresServer
  let pgBouncer: PgBouncer
  const opened: Holdfast[] = []

  beforeAll(async () => {
    server = await startPostgres({ settings: { log_statement: 'all' } })
    pgBouncer = await startPgBouncer(server)
  })

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((holdfast) => holdfast.close()))
  })

  afterAll(async () => {
    await pgBouncer.stop()
    await server.stop()
  })

  function open(
    options: Omit<PostgresSchemaOptions, 'minReplicas'> & { readonly url?: string } = {},
  ): Watched {
    const engine = postgres({ url: pgBouncer.url, ...options })
    const holdfast = new Holdfast({ engine, watchdogTimeoutMs: 6_000, commandTimeoutMs })
    const watched: Watched = { holdfast, warnings: [], lost: [] }
    holdfast.on('warning', (warning) => watched.warnings.push(warning))
    holdfast.on('lost', ({ name }) => watched.lost.push(name))
    // Outages are what some of these tests make.
    holdfast.on('error', () => undefined)
    opened.push(holdfast)
    return watched
  }

  /** Through PgBouncer, with notifications past it. */
  const openWithListenUrl = (): Watched => open({ listenUrl: server.url })

  /**
   * So many tasks of each client at once on one lock, each at least once, and again until the signal aborts. Resolves with
   * the most that were inside at once.
   */
  async function crowd(
    clients: readonly Watched[],
    tasks: number,
    signal = AbortSignal.abort(),
  ): Promise<number> {
    const name = uniqueName('crowd')
    let inside = 0
    let most = 0
    const visit = async (): Promise<void> => {
      inside += 1
      most = Math.max(most, inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside -= 1
    }
    const task = async ({ holdfast }: Watched): Promise<void> => {
      do await holdfast.getLock(name).withLock({ waitMs }, visit)
      while (!signal.aborted)
    }
    await Promise.all(clients.flatMap((client) => Array.from({ length: tasks }, () => task(client))))
    return most
  }

  const isWaitedFor = (watched: Watched): Promise<unknown> =>
    new Promise((resolve) => watched.holdfast.once('waiting', resolve))

  it('carries statements, many at once on one connection', async () => {
    const { holdfast } = open()
    await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        holdfast.getLock(`many-${i}`).withLock({ waitMs }, () => undefined),
      ),
    )
    const names = Array.from({ length: 50 }, (_, i) => `held-${i}`)
    const renewed = new Set<string>()
    holdfast.on('renewed', ({ name }) => renewed.add(name))
    const leases = await Promise.all(names.map((name) => holdfast.getLock(name).lock({ waitMs })))
    // Renewals of all in one statement.
    await until(() => names.every((name) => renewed.has(name)), { what: 'renewals' })
    await Promise.all(leases.map((lease) => lease.unlock()))
  })

  it('is noticed by a client that receives no notifications, which says so once', async () => {
    const { holdfast, warnings } = open()
    await holdfast.getLock('noticed').withLock({ waitMs }, () => undefined)
    await until(() => warnings.length > 0, { what: 'a warning' })
    expect(warnings.map(({ code }) => code)).toEqual(['NOTICE_REFUSED'])
    expect(warnings[0]?.message).toMatch(/PgBouncer in transaction mode.*listenUrl/s)
    const tests = await testsOfNotifications()
    // The client has given up the first of them by the third.
    await until(async () => (await testsOfNotifications()) >= tests + 2, {
      what: 'more tests of the notifications',
      everyMs: 100,
    })
    expect(warnings).toHaveLength(1)
  })

  /** How often clients have begun to listen so far. */
  const testsOfNotifications = async (): Promise<number> =>
    (await server.log()).match(/^LOG: +statement: listen /gm)?.length ?? 0

  it('lets waiters in without notifications, one at a time', async () => {
    const clients = [open(), open(), open()]
    expect(await crowd(clients, 2)).toBe(1)
  })

  it('with listenUrl there is no warning, and a release hands the lock to the first waiter', async () => {
    const [holder, waiter] = [openWithListenUrl(), openWithListenUrl()]
    const name = uniqueName('handed-over')
    const lease = await holder.holdfast.getLock(name).lock({ waitMs })
    const waiting = isWaitedFor(waiter)
    const waits = waiter.holdfast.getLock(name).lock({ waitMs })
    await waiting
    await until(async () => (await holder.holdfast.getLock(name).inspect()).waiterCount === 1, {
      what: 'a queue',
    })
    await lease.unlock()
    // The lock is the waiter's before it can have requested it again.
    const { holder: now } = await holder.holdfast.getLock(name).inspect()
    expect(now?.owner).toBe((await waits).owner)
    await (await waits).unlock()
    expect([...holder.warnings, ...waiter.warnings]).toEqual([])
    expect(await crowd([holder, waiter, openWithListenUrl()], 20)).toBe(1)
  })

  it.each([
    ['with listenUrl', openWithListenUrl],
    ['without notifications', open],
  ])(
    'restarted while one holds and another waits, %s: the hold stays, the waiter gets in once',
    async (_how, openOne) => {
      const [holder, waiter] = [openOne(), openOne()]
      const name = uniqueName('restart')
      const lease = await holder.holdfast.getLock(name).lock({ waitMs })
      const waiting = isWaitedFor(waiter)
      const waits = waiter.holdfast.getLock(name).lock({ waitMs })
      await waiting
      let second: Lease | undefined
      void waits.then(
        (acquired) => (second = acquired),
        () => undefined,
      )

      await pgBouncer.restart()
      await new Promise((resolve) => holder.holdfast.once('renewed', resolve))
      expect(second).toBeUndefined()
      expect(lease.isHeld).toBe(true)
      expect((await holder.holdfast.getLock(name).inspect()).holder).toMatchObject({
        owner: lease.owner,
        holdCount: 1,
      })

      await lease.unlock()
      const acquired = await waits
      expect(acquired.fencingToken).toBeGreaterThan(lease.fencingToken)
      expect((await holder.holdfast.getLock(name).inspect()).waiterCount).toBe(0)
      await acquired.unlock()
      expect([...holder.lost, ...waiter.lost]).toEqual([])
    },
  )

  it('away when the lock is released: the release follows, and the waiter gets in', async () => {
    const [holder, waiter] = [openWithListenUrl(), openWithListenUrl()]
    const name = uniqueName('away')
    const lease = await holder.holdfast.getLock(name).lock({ waitMs })
    const waiting = isWaitedFor(waiter)
    const waits = waiter.holdfast.getLock(name).lock({ waitMs })
    await waiting
    await pgBouncer.kill()
    const releasing = lease.unlock().catch((error: unknown) => error)
    await pgBouncer.restart()
    await releasing
    await (await waits).unlock()
    await waiter.holdfast.getLock(name).withLock({ waitMs }, () => undefined)
  })

  it('gives no reply to a client that breaks off to another session of its pool', async () => {
    await using proxy = await startProxy(pgBouncer, 'unknown')
    const url = `postgres://postgres@${proxy.host}:${proxy.port}/postgres`
    const { holdfast } = open({ url, listenUrl: server.url })
    const [quick, stuck, last] = ['quick', 'stuck', 'last'].map((name) => holdfast.getLock(uniqueName(name)))
    if (!quick || !stuck || !last) throw new Error('three names are three locks')
    for (const lock of [quick, stuck, last]) await lock.withLock({ waitMs }, () => undefined)
    const [blocker, other] = [server.url, pgBouncer.url].map((at) => new Client({ connectionString: at }))
    if (!blocker || !other) throw new Error('two URLs are two clients')
    await Promise.all([blocker.connect(), other.connect()])
    await blocker.query('begin')
    await blocker.query('select from holdfast.lock where name = $1 for update', [stuck.name])

    const calls = [quick, stuck, last].map((lock) => lock.tryLock().catch(() => null))
    await calls[0]
    const isStuck = "select from pg_stat_activity where wait_event_type = 'Lock'"
    await until(async () => (await server.query(isStuck)).length > 0)
    proxy.cut()
    const numbers = Array.from({ length: 20 }, (_, i) => i)
    const replies: unknown[] = []
    const querying = (async () => {
      for (const n of numbers)
        replies.push((await other.query<{ n: number }>('select $1::int as n', [n])).rows[0]?.n)
    })()
    // A session that waits for the reply to another's statement does not get on.
    let before = -1
    const stands = () => before === (before = replies.length)
    await until(() => replies.length === numbers.length || stands(), { everyMs: 100 })
    await blocker.query('rollback')
    await querying
    expect(replies).toEqual(numbers)
    await Promise.all(calls)
    await Promise.all([blocker.end(), other.end(), holdfast.close()])
  })
})
