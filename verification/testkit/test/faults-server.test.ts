import { Redis } from 'ioredis'
import {
  evictKeys,
  pauseClients,
  refuseCommands,
  runBusyScript,
  scriptFlush,
  sleepServer,
  startRedis,
  until,
  withRedis,
  type RedisServer,
} from '../src/index.js'

let server: RedisServer
let redis: Redis

beforeEach(async () => {
  // A new server for each test, so that a fault that does not heal fails only its own test.
  server = await startRedis()
  redis = await connected()
})
afterEach(async () => {
  // On a connection that has ended, disconnect() would start a timer that nothing clears.
  if (redis.status !== 'end') redis.disconnect()
  await server.stop()
})

async function connected(): Promise<Redis> {
  const client = new Redis(server.url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Whether the promise is still pending after a short time. */
async function staysOpen(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const mark = () => {
    settled = true
  }
  promise.then(mark, mark)
  return until(() => settled, { timeoutMs: 150 }).then(
    () => false,
    () => true,
  )
}

const writeScript = "return redis.call('SET', KEYS[1], 'v')"

it('a script flush makes the server forget scripts', async () => {
  const sha1 = String(await redis.script('LOAD', 'return 1'))
  await expect(redis.evalsha(sha1, 0)).resolves.toBe(1)
  await scriptFlush(server)
  await expect(redis.evalsha(sha1, 0)).rejects.toThrow('NOSCRIPT')
})

it('a pause of writes lets reads through and ends when healed', async () => {
  const pause = await pauseClients(server, 60_000, 'WRITE')
  const reply = redis.set('k', 'v')
  await expect(withRedis(server.url, (other) => other.get('k'))).resolves.toBeNull()
  expect(await staysOpen(reply)).toBe(true)
  await pause.heal()
  await expect(reply).resolves.toBe('OK')
})

it('a sleeping server does not reply until it wakes', async () => {
  const sleep = await sleepServer(server, 2_000)
  const reply = redis.ping()
  expect(await staysOpen(reply)).toBe(true)
  await sleep.heal()
  await expect(reply).resolves.toBe('PONG')
})

it('a busy script makes all commands fail with BUSY until it is killed', async () => {
  const limit = await redis.config('GET', 'lua-time-limit')
  const busy = await runBusyScript(server)
  await expect(redis.get('k')).rejects.toThrow('BUSY')
  await expect(redis.eval(writeScript, 1, 'k')).rejects.toThrow('BUSY')
  await busy.heal()
  await busy.heal()
  await expect(redis.set('k', 'v')).resolves.toBe('OK')
  await expect(redis.config('GET', 'lua-time-limit')).resolves.toEqual(limit)
})

it('refused commands are refused on open connections too', async () => {
  const refusal = await refuseCommands(server, ['eval', 'client|id'])
  await expect(redis.eval(writeScript, 1, 'k')).rejects.toThrow('NOPERM')
  await expect(redis.client('ID')).rejects.toThrow('NOPERM')
  await expect(redis.set('k', 'v')).resolves.toBe('OK')
  await refusal.heal()
  await expect(redis.eval(writeScript, 1, 'k')).resolves.toBe('OK')
  await expect(redis.client('ID')).resolves.toBeGreaterThan(0)
})

it('memory pressure takes the wanted key, leaves others, and stops', async () => {
  // So many that what connections take for a moment is a small part of it.
  const count = 20_000
  await redis.mset(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v'])))
  const evicted = await evictKeys(server, { key: 'k1999' })
  await expect(redis.get('k1999')).resolves.toBeNull()
  const left = await redis.dbsize()
  expect(left).toBeGreaterThan(0)
  expect(left).toBe(count - evicted)
  await expect(redis.set('another', 'v')).resolves.toBe('OK')
  await expect(redis.config('GET', 'maxmemory-policy')).resolves.toEqual(['maxmemory-policy', 'noeviction'])
})
