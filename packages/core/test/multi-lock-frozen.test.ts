import { join } from 'node:path'
import { forkWorker, uniqueName, type Worker } from '@holdfast/testkit'
import type { Holdfast } from '../src/index.js'
import { closeAfterTest, closeAll, openReadyClient, openRedisClient } from './support/clients.js'
import { LockInRedis } from './support/lock-in-redis.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let other: Holdfast
let first: string, second: string
let inRedis: LockInRedis[]

const options = { watchdogTimeoutMs: 3_000, commandTimeoutMs: 1_500 }

beforeEach(async () => {
  other = await openReadyClient(server.url, options)
  const tag = `{${uniqueName('frozen')}}`
  ;[first, second] = [`${tag}a`, `${tag}b`]
  const redis = openRedisClient(server.url)
  inRedis = [first, second].map((name) => new LockInRedis(redis, name))
})
afterEach(closeAll)

/** A process that acquires both locks together when it gets word. */
async function openHolder(): Promise<Worker> {
  const file = join(__dirname, 'workers/multi-lock-holder.mjs')
  const worker = await forkWorker(file, { args: [server.url, JSON.stringify(options), first, second] })
  closeAfterTest(() => worker.kill())
  await worker.waitFor('ready')
  return worker
}

const tokensOf = ({ tokens }: Awaited<ReturnType<Worker['waitFor']>>): number[] =>
  Array.isArray(tokens) ? tokens.map(Number) : []

it('a process that is frozen while it holds a multi lock keeps no one out, learns of it, and frees nothing of others', async () => {
  const holder = await openHolder()
  await holder.send({ type: 'lock' })
  const tokens = tokensOf(await holder.waitFor('acquired'))
  await holder.freeze()
  const lease = await other.getMultiLock([second, first]).lock({ waitMs: 10_000 })
  expect(lease.fencingToken(first)).toBeGreaterThan(tokens[0] ?? Infinity)
  expect(lease.fencingToken(second)).toBeGreaterThan(tokens[1] ?? Infinity)
  holder.thaw()
  expect(await holder.waitFor('lost')).toMatchObject({ reason: 'member-lost', isHeld: false })
  await holder.send({ type: 'unlock' })
  expect(await holder.waitFor('unlocked')).toMatchObject({ outcome: 'LOCK_LOST' })
  expect(await Promise.all(inRedis.map((lock) => lock.holder()))).toEqual(
    expect.arrayContaining(lease.toJSON().owners),
  )
  expect(lease.isHeld).toBe(true)
  await lease.unlock()
})

it('a process that is frozen while it has some locks of a multi lock begins again, and gets all of them', async () => {
  const holder = await openHolder()
  const busy = await other.getLock(second).lock()
  await holder.send({ type: 'lock' })
  expect(await holder.waitFor('waiting')).toMatchObject({ name: second })
  await holder.freeze()
  const lease = await other.getLock(first).lock({ waitMs: 10_000 })
  holder.thaw()
  await busy.unlock()
  await lease.unlock()
  const acquired = await holder.waitFor('acquired')
  expect(acquired).toMatchObject({ isHeld: true })
  expect(tokensOf(acquired)[0]).toBeGreaterThan(lease.fencingToken)
  await holder.send({ type: 'unlock' })
  expect(await holder.waitFor('unlocked')).toMatchObject({ outcome: 'released' })
  for (const lock of inRedis) await lock.untilFree()
})
