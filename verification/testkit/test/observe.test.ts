import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import { countCommands, startRedis, watchResources, type RedisServer } from '../src/index.js'

let server: RedisServer
let redis: Redis

beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.url)
  await redis.ping()
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})

it('counts what clients send meanwhile, not what scripts call', async () => {
  const script = "redis.call('SET', KEYS[1], 'é\\n')\nreturn redis.call('GET', KEYS[1])"
  const sha = createHash('sha1').update(script).digest('hex')
  void redis.set('k', 'before')
  await redis.ping()
  const { counts } = await countCommands(server.url, async () => {
    await redis.set('k', 'v')
    await redis.set('k', 'w')
    await redis.eval(script, 1, 'k')
    await redis.evalsha(sha, 1, 'k')
    await redis.evalsha(sha.toUpperCase(), 1, 'k')
  })
  await redis.set('k', 'after')
  expect(Object.fromEntries(counts)).toEqual({ set: 2, [`eval:${sha}`]: 1, [`evalsha:${sha}`]: 2 })
})

it('a client that is not closed is named with its origin', async () => {
  const resources = watchResources()
  const client = new Redis(server.url)
  await client.ping()
  await expect(resources.expectNone(50)).rejects.toThrow(/left open:[^]*TCPWRAP.*ioredis/)
  client.disconnect()
})

it('a forgotten timer is found even if it keeps nothing alive, a cleared one is not', async () => {
  const resources = watchResources()
  clearInterval(setInterval(() => undefined, 60_000))
  await resources.expectNone()
  const again = watchResources()
  const timer = setTimeout(() => undefined, 60_000)
  timer.unref()
  await expect(again.expectNone(50)).rejects.toThrow(/Timeout.*observe\.test/)
  clearTimeout(timer)
})
