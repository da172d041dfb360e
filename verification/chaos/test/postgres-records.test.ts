import type { Holdfast } from '@holdfast/core'
import { uniqueName } from '@holdfast/testkit'
import { postgresOf, type FaultContext } from '../src/faults/fault-context.js'
import { findContradictions } from '../src/inspect-locks.js'
import type { ObjectName } from '../src/objects.js'
import { openClients } from '../src/open-clients.js'
import { recordsInPostgres } from '../src/postgres-records.js'
import { templateOf } from '../src/template.js'
import { openTestbed, type Testbed } from '../src/testbed.js'

const leaseMs = 60_000

let testbed: Testbed
let client: Holdfast

beforeAll(async () => {
  testbed = await openTestbed('postgres')
  const [opened] = openClients(
    'lock',
    await Promise.all(testbed.operatorRoute.templates.slice(0, 1).map((spec) => templateOf(spec))),
    // The machine may be busy.
    { ...testbed.options, commandTimeoutMs: 20_000 },
  )
  if (!opened || !('getSemaphore' in opened)) throw new Error('no client was opened')
  client = opened
})
afterAll(async () => {
  await client.close()
  await testbed.close()
})

function contextOf(object: ObjectName, name: string): FaultContext {
  return { testbed, object, locks: [name], keys: [], kill: () => Promise.resolve() }
}

async function contradictionsIn(context: FaultContext): Promise<unknown[]> {
  return (await findContradictions(context)).map((event) => event.kind === 'leftover' && event.what)
}

const change = (context: FaultContext, sql: string, name: string) =>
  postgresOf(context).primary().query(sql, [name])

it.each(['read-write-lock', 'semaphore'] as const)(
  'of a %s, rows that contradict each other are found',
  async (object) => {
    const name = uniqueName('wrong')
    const context = contextOf(object, name)
    const lease =
      object === 'semaphore'
        ? await client.getSemaphore(name, { permits: 4 }).acquire({ permits: 3, leaseMs })
        : await client.getReadWriteLock(name).read.lock({ leaseMs })
    const held = object === 'semaphore' ? 3 : 1
    const id = object === 'semaphore' ? `\\semaphore ${name}` : `\\rw ${name}`
    expect(await recordsInPostgres(context).counts(0)).toEqual({ [lease.owner]: held })
    expect(await contradictionsIn(context)).toEqual([])
    await change(
      context,
      `update holdfast.shared set used = 2, waiting = 1, ends_from_us = ends_from_us + 1 where name = $1`,
      id,
    )
    expect(await contradictionsIn(context)).toEqual([
      'a count of 1 queue entries, where there are 0',
      `a sum of 2 permits, where the holds have ${held}`,
      'a hold that ends before the instant from which holds may end',
    ])
    await change(context, 'delete from holdfast.shared where name = $1', id)
    expect(await contradictionsIn(context)).toEqual([`a sum of 0 permits, where the holds have ${held}`])
    await change(context, 'delete from holdfast.shared_hold where name = $1', id)
    expect(await contradictionsIn(context)).toEqual([])
  },
)

it('of a latch, rows that contradict each other are found', async () => {
  const name = uniqueName('wrong')
  const id = `\\latch ${name}`
  const context = contextOf('latch', name)
  const latch = client.getCountDownLatch(name)
  await latch.trySetCount(2)
  await latch.countDown({ as: 'a' })
  expect(await contradictionsIn(context)).toEqual([])
  await change(context, 'delete from holdfast.latch_party where name = $1', id)
  expect(await contradictionsIn(context)).toEqual(['0 parties, where 1 of 2 are left'])
  await change(context, 'update holdfast.latch set remaining = 0, count = 0 where name = $1', id)
  expect(await contradictionsIn(context)).toEqual([
    'a latch for which all have counted down, and that is not open',
  ])
  await change(context, 'update holdfast.latch set opened = generation where name = $1', id)
  expect(await contradictionsIn(context)).toEqual([])
  await change(
    context,
    `insert into holdfast.latch_waiter (name, client, inbox, until_us) select name, 'c', 'inbox', until_us
    from holdfast.latch where name = $1`,
    id,
  )
  expect(await contradictionsIn(context)).toEqual(['a client that waits for a latch that is open'])
})

it('a client may wait for a latch that was open, and was deleted', async () => {
  const name = uniqueName('deleted')
  const context = contextOf('latch', name)
  const latch = client.getCountDownLatch(name)
  await latch.trySetCount(1)
  await latch.countDown()
  await latch.delete()
  await change(
    context,
    `insert into holdfast.latch_waiter (name, client, inbox, until_us) select name, 'c', 'inbox', until_us
    from holdfast.latch where name = $1`,
    `\\latch ${name}`,
  )
  expect(await contradictionsIn(context)).toEqual([])
})

it('a hold that is left is a leftover, and so is a row that stays for long', async () => {
  const name = uniqueName('left')
  const context = contextOf('semaphore', name)
  const semaphore = client.getSemaphore(name, { permits: 4 })
  const { owner } = await semaphore.acquire({ leaseMs })
  const records = recordsInPostgres(context)
  expect(await records.leftovers(0)).toEqual([{ owner, what: `hold of ${owner}` }])
  await semaphore.resize(4, { keepMs: 10 * leaseMs })
  expect(await records.leftovers(0)).toEqual([
    { owner, what: `hold of ${owner}` },
    { owner: null, what: 'a row that no sweep deletes for minutes' },
  ])
})
