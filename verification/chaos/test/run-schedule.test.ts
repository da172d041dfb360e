import { join } from 'node:path'
import { withRedis, type HistoryEvent } from '@holdfast/testkit'
import { openTestbed, type Testbed } from '../src/testbed.js'
import { redisOf, type FaultContext } from '../src/faults/fault-context.js'
import { faultKind } from '../src/faults/fault-kinds.js'
import { findLeftovers } from '../src/inspect-locks.js'
import { runSchedule } from '../src/run-schedule.js'
import type { PlannedCall, Schedule } from '../src/schedule.js'
import { newTally, slowHandOffs } from '../src/tally.js'

const call = (startMs: number, more: Partial<PlannedCall>): PlannedCall => ({
  startMs,
  lock: 0,
  style: 'withLock',
  waitMs: null,
  leaseMs: null,
  workMs: 10,
  nested: 0,
  abortAfterMs: null,
  ...more,
})
const idle: Schedule = { calls: [[], [], []], faults: [] }

type OfKind<Kind extends HistoryEvent['kind']> = Extract<HistoryEvent, { kind: Kind }>

const isOf =
  <Kind extends HistoryEvent['kind']>(kind: Kind) =>
  (event: HistoryEvent): event is OfKind<Kind> =>
    event.kind === kind

let testbed: Testbed

beforeAll(async () => {
  testbed = await openTestbed('single')
})
afterAll(() => testbed.close())

it('the owner of every call that waited is known, however the call ended', async () => {
  // The first use sends Redis a few extra commands; after this call, processes are quick.
  const warmUp = call(0, { lock: 1, nested: 1 })
  const waits = [
    call(2_000, { nested: 2 }),
    call(2_010, { style: 'tryLock', waitMs: 1_250 }),
    call(2_020, { waitMs: 1_240 }),
    call(2_030, { abortAfterMs: 1_230 }),
    call(2_040, { style: 'lock' }),
  ]
  const holder = call(500, { workMs: 5_000, nested: 1 })
  const calls = [
    [warmUp, holder],
    [warmUp, ...waits],
    [warmUp, ...waits],
  ]
  const { history } = await runSchedule(testbed, { calls, faults: [] })
  const queued = history.filter(isOf('queued'))
  const endOf = new Map(
    history.flatMap((event) =>
      (event.kind === 'acquired' && event.count === 1) || event.kind === 'refused'
        ? [[event.owner, event]]
        : [],
    ),
  )
  const ends = queued.map(({ owner }) => endOf.get(owner))
  expect(ends.map((end) => end?.kind)).not.toContain(undefined)
  expect(ends.filter((end) => end?.kind === 'refused')).toHaveLength(6)
  for (const [n, entry] of queued.entries()) {
    const end = ends[n]
    const requested = history.filter(isOf('requested')).find((event) => event.call === end?.call)
    expect(end?.process).toBe(entry.process)
    expect(requested?.atMs).toBeLessThanOrEqual(entry.atMs)
    expect(end?.atMs).toBeGreaterThanOrEqual(entry.atMs)
  }
})

it('an instantaneous fault is recorded without a duration, and a fault of one lock names that lock', async () => {
  const calls = [[call(0, { workMs: 1_500 })], [], []]
  const faults = [
    { name: 'forceUnlock', atMs: 200, forMs: 20_000, target: 0 },
    { name: 'delay', atMs: 200, forMs: 2_500, target: 0 },
  ] as const
  const { history } = await runSchedule(testbed, { calls, faults })
  const tookMs = history.filter(isOf('fault')).map(({ id, fault, locks, atMs }) => {
    const healed = history.find((event) => event.kind === 'healed' && event.id === id)
    return { fault, locks, isShort: (healed?.atMs ?? Infinity) - atMs < 2_000 }
  })
  const [requested] = history.filter(isOf('requested'))
  expect(tookMs).toHaveLength(2)
  expect(tookMs).toContainEqual({ fault: 'forceUnlock', locks: [requested?.lock], isShort: true })
  expect(tookMs).toContainEqual({ fault: 'delay', locks: 'all', isShort: false })
})

it('a fault that hits nothing is not recorded', async () => {
  const faults = [{ name: 'forceUnlock', atMs: 0, forMs: 10, target: 1 }] as const
  const { history } = await runSchedule(testbed, { ...idle, faults })
  expect(history.filter(isOf('fault'))).toEqual([])
})

describe('a leftover', () => {
  const owner = 'client:1'
  let context: FaultContext

  beforeEach(async () => {
    const name = `left-${process.pid}`
    context = {
      testbed,
      object: 'lock',
      locks: [name],
      keys: [`lock:${name}`],
      kill: () => Promise.resolve(),
    }
    await testbed.restore()
    await onServer((redis, key) => redis.multi().hset(key, owner, 1).pexpire(key, 2_500).exec())
  })
  afterEach(() => onServer((redis, key) => redis.del(key)))

  async function onServer(
    use: (redis: Parameters<Parameters<typeof withRedis>[1]>[0], key: string) => unknown,
  ) {
    const [key = ''] = context.keys
    await withRedis((await redisOf(context).masterOf(0, key)).url, async (redis) => {
      await use(redis, key)
    })
  }

  it('is reported soon if its process has closed', async () => {
    const found = await findLeftovers(context, { deadExpireWithinMs: 10_000, mayBeDead: () => false })
    expect(found).toMatchObject([{ kind: 'leftover', what: `hold of ${owner}` }])
  })

  it('has time to expire if its process may be dead', async () => {
    const owners: string[] = []
    const mayBeDead = (name: string) => owners.push(name) > 0
    expect(await findLeftovers(context, { deadExpireWithinMs: 10_000, mayBeDead })).toEqual([])
    expect(new Set(owners)).toEqual(new Set([owner]))
  })
})

it('a client that leaves a connection open is reported', async () => {
  const leaky = await openTestbed('single', join(__dirname, 'workers/leaky.mjs'))
  try {
    const { failures } = await runSchedule(leaky, { ...idle, calls: [[call(0, {})], [], []] })
    expect(failures.join()).toMatch(/^P1 left open: .*TCPSocketWrap/)
  } finally {
    await leaky.close()
  }
})

it('the hand-offs of a campaign are slow if more than one in ten is', () => {
  const tally = newTally('single')
  tally.handOffsMs.push(...Array.from({ length: 8 }, () => 3), 101)
  expect(slowHandOffs(tally)).toBeNull()
  tally.handOffsMs.push(3)
  expect(slowHandOffs(tally)).toBeNull()
  tally.handOffsMs.push(101)
  expect(slowHandOffs(tally)).toBe('of 11 hand-offs, one in ten took 101.0 ms; 100 are allowed')
  tally.handOffsMs.splice(0, 2)
  expect(slowHandOffs(tally)).toBeNull()
})

it.each(['loseData', 'failAppends'] as const)(
  '%s misses a server that has become a replica since it was looked up',
  async (fault) => {
    const context = {
      testbed,
      object: 'lock' as const,
      locks: ['a'],
      keys: ['lock:a'],
      kill: () => Promise.resolve(),
    }
    const server = await redisOf(context).masterOf(0, 'lock:a')
    await server.call('REPLICAOF', server.host, '1')
    try {
      expect(await faultKind(fault).inject(context, { atMs: 0, forMs: 0, target: 0 })).toBe('missed')
    } finally {
      await server.call('REPLICAOF', 'NO', 'ONE')
    }
  },
)
