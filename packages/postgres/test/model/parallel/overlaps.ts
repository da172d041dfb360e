import type { Job } from '../../../../core/test/model/job.js'
import { nameOf, storeState, type StoreState } from '../../../../core/test/model/state.js'
import type { Client } from 'pg'
import { lockStore } from '../lock-store.js'
import { readSql, restoreSql } from '../table-sql.js'
import type { Rows } from '../table-store.js'
import { call } from './call.js'

/** Where two steps meet: a lock that nobody has used, one that is free, held, waited for, left to its waiters. */
const stores: readonly StoreState[] = [
  storeState([0, 0], [], ['-', '-'], false),
  storeState([0, 0], [], ['-', '-'], true),
  storeState([1, 0], [], ['-', '-'], true),
  storeState([1, 0], [1], ['-', 'live'], true),
  storeState([0, 0], [1], ['-', 'live'], true),
  storeState([0, 0], [], ['tombstone', '-'], true),
]

const steps = ['request', 'release', 'abandon', 'refresh', 'renew', 'force'] as const

const jobsIn = (store: StoreState): Job[] =>
  [0, 1].flatMap((owner) => steps.map((step): Job => ({ store, owner, step, subscribed: [true, true] })))

/** Each pair of steps from each of these states. */
const pairs = stores.flatMap((store) =>
  jobsIn(store).flatMap((first) => jobsIn(store).map((second) => ({ first, second }))),
)

/**
 * Runs the second of two steps while the first has run and not committed. Returns the first pair after which
 * anything but time is different from the two one after the other, in either order.
 */
export async function findOverlap(one: Client, other: Client): Promise<string | null> {
  const pid = await backendOf(other)
  for (const { first, second } of pairs) {
    const atOnce = await runPair(one, first, async () => {
      await one.query('begin')
      const reply = await call(one, lockStore.callOf(first, {}))
      const next = call(other, lockStore.callOf(second, {}))
      await waitsOrEnds(one, pid, next)
      await one.query('commit')
      return [reply, await next]
    })
    const inOrder = await runPair(one, first, async () => {
      const reply = await call(one, lockStore.callOf(first, {}))
      return [reply, await call(one, lockStore.callOf(second, {}))]
    })
    if (inOrder === atOnce) continue
    const inOtherOrder = await runPair(one, first, async () => {
      const reply = await call(one, lockStore.callOf(second, {}))
      return [await call(one, lockStore.callOf(first, {})), reply]
    })
    if (inOtherOrder === atOnce) continue
    const names = [first, second].map(({ owner, step }) => `${nameOf(owner)}'s ${step}`)
    return `${names.join(' and ')} at ${first.store.key}: ${atOnce} instead of ${inOrder}`
  }
  return null
}

async function runPair(client: Client, job: Job, run: () => Promise<readonly unknown[]>): Promise<string> {
  await client.query(restoreSql(lockStore.tables), [JSON.stringify(lockStore.rowsOf(job, {}))])
  const replies = await run().catch((error: unknown) => [String(error)])
  const { rows } = await client.query<string[]>({ text: readSql(lockStore.tables), rowMode: 'array' })
  const left = JSON.parse(rows[0]?.[0] ?? '') as Rows
  const { store, token, waiting, notices } = lockStore.readBack(job, {}, { kind: 'swept' }, left)
  return JSON.stringify({ replies, store: store.key, token, waiting, notices })
}

async function backendOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ pid: string }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? ''
}

/** Resolves once the backend waits for another one, or has done what it was sent. */
export async function waitsOrEnds(client: Client, pid: string, sent: Promise<unknown>): Promise<void> {
  const done = { isOver: false }
  const end = (): void => {
    done.isOver = true
  }
  sent.then(end, end)
  for (;;) {
    const { rows } = await client.query<{ waits: string }>(
      'select cardinality(pg_blocking_pids($1)) > 0 as waits',
      [pid],
    )
    if (done.isOver || rows[0]?.waits === 't') return
  }
}
