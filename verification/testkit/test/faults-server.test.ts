import { once } from 'node:events'
import { Redis } from 'ioredis'
import {
  evictKeys,
  failAppends,
  failSnapshots,
  fillMemory,
  killClients,
  loseData,
  pauseClients,
  refuseCommands,
  requirePassword,
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

it('loseData deletes all data', async () => {
  await redis.set('k', 'v')
  await loseData(server)
  await expect(redis.get('k')).resolves.toBeNull()
})

it('killing clients disconnects those of the named kinds', async () => {
  const subscriber = await connected()
  await subscriber.subscribe('channel')
  const ended = once(redis, 'end')
  await expect(killClients(server, ['normal'])).resolves.toBeGreaterThanOrEqual(1)
  await ended
  expect(subscriber.status).toBe('ready')
  const subscriberEnded = once(subscriber, 'end')
  await expect(killClients(server)).resolves.toBeGreaterThanOrEqual(1)
  await subscriberEnded
  redis = await connected()
  await expect(redis.ping()).resolves.toBe('PONG')
})

it('a pause of writes lets reads through and ends when healed', async () => {
  const pause = await pauseClients(server, 60_000, 'WRITE')
  const reply = redis.set('k', 'v')
  await expect(withRedis(server.url, (other) => other.get('k'))).resolves.toBeNull()
  expect(await staysOpen(reply)).toBe(true)
  await pause.heal()
  await expect(reply).resolves.toBe('OK')
})

it('a pause of all commands ends when its time is up', async () => {
  const startedAt = performance.now()
  const pause = await pauseClients(server, 1_500)
  expect(await staysOpen(redis.ping())).toBe(true)
  await pause.heal()
  // The server ends the pause by its own clock, which it reads periodically.
  expect(performance.now() - startedAt).toBeGreaterThan(1_200)
  await expect(redis.ping()).resolves.toBe('PONG')
})

it('a sleeping server does not reply until it wakes', async () => {
  const startedAt = performance.now()
  const sleep = await sleepServer(server, 2_000)
  const reply = redis.ping()
  expect(await staysOpen(reply)).toBe(true)
  await sleep.heal()
  expect(performance.now() - startedAt).toBeGreaterThan(1_900)
  await expect(reply).resolves.toBe('PONG')
})

it('a sleep is refused if it is too long, or not allowed', async () => {
  await expect(sleepServer(server, 4_001)).rejects.toThrow(RangeError)
  await using careful = await startRedis({ args: ['--enable-debug-command', 'no'] })
  await expect(sleepServer(careful, 100)).rejects.toThrow('DEBUG command not allowed')
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

it('full memory refuses writes, not reads, and keeps the data', async () => {
  await redis.set('k', 'v')
  {
    await using _full = await fillMemory(server)
    await expect(redis.set('l', 'v')).rejects.toThrow('OOM')
    await expect(redis.eval(writeScript, 1, 'l')).rejects.toThrow('OOM')
    await expect(redis.get('k')).resolves.toBe('v')
  }
  await expect(redis.set('l', 'v')).resolves.toBe('OK')
  await expect(redis.config('GET', 'maxmemory')).resolves.toEqual(['maxmemory', '0'])
})

describe('eviction', () => {
  const fill = () => redis.mset(Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, 'v'])))

  it('takes some keys, leaves others, and stops', async () => {
    await fill()
    const evicted = await evictKeys(server)
    const left = await redis.dbsize()
    expect(evicted).toBeGreaterThan(0)
    expect(left).toBeGreaterThan(0)
    expect(left).toBe(2_000 - evicted)
    await expect(redis.set('another', 'v')).resolves.toBe('OK')
    await expect(redis.dbsize()).resolves.toBe(left + 1)
  })

  it('continues until the wanted key is evicted', async () => {
    await fill()
    await evictKeys(server, { key: 'k1999' })
    await expect(redis.get('k1999')).resolves.toBeNull()
    await expect(redis.config('GET', 'maxmemory-policy')).resolves.toEqual(['maxmemory-policy', 'noeviction'])
  })
})

/** These tests need a local server, the first one also Linux; elsewhere they pass without running. */
function whereLocal(name: string, platforms: readonly string[], test: () => Promise<void>): void {
  it(name, async () => {
    if (server.pid !== null && platforms.includes(process.platform)) await test()
  })
}

whereLocal('failing appends refuse writes, not reads, until there is room again', ['linux'], async () => {
  await redis.set('k', 'v')
  const failure = await failAppends(server)
  await expect(redis.set('k', 'w')).rejects.toThrow('MISCONF Errors writing to the AOF file')
  await expect(redis.eval(writeScript, 1, 'k')).rejects.toThrow('MISCONF')
  await expect(redis.get('k')).resolves.toBe('v')
  await failure.heal()
  await expect(redis.set('k', 'w')).resolves.toBe('OK')
  await expect(redis.config('GET', 'appendonly')).resolves.toEqual(['appendonly', 'no'])
})

whereLocal(
  'failing snapshots refuse writes, not reads, until they succeed again',
  ['linux', 'darwin'],
  async () => {
    await redis.set('k', 'v')
    const failure = await failSnapshots(server)
    await expect(redis.set('k', 'w')).rejects.toThrow('MISCONF Redis is configured to save RDB snapshots')
    await expect(redis.eval(writeScript, 1, 'k')).rejects.toThrow('MISCONF')
    await expect(redis.get('k')).resolves.toBe('v')
    await failure.heal()
    await expect(redis.set('k', 'w')).resolves.toBe('OK')
    await expect(redis.config('GET', 'save')).resolves.toEqual(['save', ''])
  },
)

it('refused commands are refused on open connections too', async () => {
  const refusal = await refuseCommands(server, ['eval', 'client|id'])
  await expect(redis.eval(writeScript, 1, 'k')).rejects.toThrow('NOPERM')
  await expect(redis.client('ID')).rejects.toThrow('NOPERM')
  await expect(redis.set('k', 'v')).resolves.toBe('OK')
  await refusal.heal()
  await expect(redis.eval(writeScript, 1, 'k')).resolves.toBe('OK')
  await expect(redis.client('ID')).resolves.toBeGreaterThan(0)
})

it('a password closes open connections and refuses new ones until it is removed', async () => {
  const ended = once(redis, 'end')
  const required = await requirePassword(server)
  await ended
  await expect(server.call('GET', 'k')).rejects.toThrow('NOAUTH')
  await required.heal()
  redis = await connected()
  await expect(redis.set('k', 'v')).resolves.toBe('OK')
})
