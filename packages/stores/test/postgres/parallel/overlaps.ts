import {
  clockStartUs,
  contentsOf,
  nameOf,
  shapeOf,
  stepOf,
  storeState,
  type Job,
  type StoreState,
} from '@holdfast/model'
import type { Client } from 'pg'
import { addressOfId } from '../../../src/postgres/address.js'
import { callOf } from '../steps/calls.js'
import { readSql, schema } from '../steps/functions.js'
import { inboxOf } from '../steps/inboxes.js'
import { postgresLock } from '../steps/postgres-lock.js'
import { call } from '../steps/call.js'

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

const shape = shapeOf({ owners: 2, faults: 0 })
const listening = () => 'subscribed' as const

/** Takes the step of a job. */
async function take(client: Client, job: Job): Promise<unknown> {
  const step = stepOf(shape, job)
  const owner = 'owner' in step ? step.owner : ''
  const called = callOf(addressOfId(postgresLock.name), step, inboxOf(owner, 'subscribed'))
  return called && call(client, called)
}

interface Pair {
  readonly first: Job
  readonly second: Job
}

/** Each pair of steps from each of these states. */
const pairs = stores.flatMap((store) =>
  jobsIn(store).flatMap((first) => jobsIn(store).map((second): Pair => ({ first, second }))),
)

/**
 * Runs the second of two steps while the first has run and not committed. Returns the first pair after which
 * anything but time is different from the two one after the other, in either order.
 */
export async function findOverlap(one: Client, other: Client): Promise<string | null> {
  const pid = await backendOf(other)
  for (const pair of pairs) {
    // A step waits for a row for a second at most, which may pass on a busy machine. What two steps do to each other, they do again.
    const difference =
      (await differenceOf(pair, one, other, pid)) && (await differenceOf(pair, one, other, pid))
    if (difference) return difference
  }
  return null
}

async function differenceOf(
  { first, second }: Pair,
  one: Client,
  other: Client,
  pid: string,
): Promise<string | null> {
  const atOnce = await runPair(one, first, async () => {
    await one.query('begin')
    const reply = await take(one, first)
    const next = take(other, second)
    await waitsOrEnds(one, pid, next)
    await one.query('commit')
    return [reply, await next]
  })
  const inOrder = await runPair(one, first, async () => {
    const reply = await take(one, first)
    return [reply, await take(one, second)]
  })
  if (inOrder === atOnce) return null
  const inOtherOrder = await runPair(one, first, async () => {
    const reply = await take(one, second)
    return [await take(one, first), reply]
  })
  if (inOtherOrder === atOnce) return null
  const names = [first, second].map(({ owner, step }) => `${nameOf(owner)}'s ${step}`)
  return `${names.join(' and ')} at ${first.store.key}: ${atOnce} instead of ${inOrder}`
}

async function runPair(client: Client, job: Job, run: () => Promise<readonly unknown[]>): Promise<string> {
  const restoring = { name: postgresLock.name, nowUs: clockStartUs, unsettled: [], listening }
  const start = JSON.stringify(postgresLock.rowsOf(contentsOf(shape, job), restoring))
  await client.query(`select ${schema}.restore_lock($1, $2)`, [start, clockStartUs])
  const replies = await run().catch((error: unknown) => [String(error)])
  const [rows, sent] = await Promise.all(
    [readSql('lock'), `select ${schema}.take()`].map((text) =>
      client.query<string[]>({ text, rowMode: 'array' }),
    ),
  )
  const left = postgresLock.read(JSON.parse(rows?.rows[0]?.[0] ?? ''), clockStartUs, listening)
  return JSON.stringify({ replies, left, sent: sent?.rows })
}

export async function backendOf(client: Client): Promise<string> {
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
