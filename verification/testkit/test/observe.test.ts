import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Redis } from 'ioredis'
import {
  countCommands,
  keysWithoutTtl,
  leftoverKeys,
  startRedis,
  uniqueName,
  watchResources,
  withRedis,
  type RedisServer,
} from '../src/index.js'

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

describe('countCommands', () => {
  it('counts what clients send, not what scripts call', async () => {
    const script = "redis.call('SET', KEYS[1], 'é\\n')\nreturn redis.call('GET', KEYS[1])"
    const sha = createHash('sha1').update(script).digest('hex')
    const { value, counts } = await countCommands(server.url, async () => {
      await redis.set('k', 'v')
      await redis.set('k', 'w')
      await redis.eval(script, 1, 'k')
      await redis.evalsha(sha, 1, 'k')
      await redis.evalsha(sha.toUpperCase(), 1, 'k')
      return 'done'
    })
    expect(value).toBe('done')
    expect(Object.fromEntries(counts)).toEqual({ set: 2, [`eval:${sha}`]: 1, [`evalsha:${sha}`]: 2 })
  })

  it('counts nothing from before and after', async () => {
    void redis.set('k', 'before')
    await redis.ping()
    const { counts } = await countCommands(server.url, () => Promise.resolve())
    await redis.set('k', 'after')
    expect(counts.size).toBe(0)
  })

  it('passes an error of the callback on, and closes all connections', async () => {
    const failure = countCommands(server.url, () => Promise.reject(new Error('oops')))
    await expect(failure).rejects.toThrow('oops')
    await expect(redis.client('LIST', 'TYPE', 'NORMAL')).resolves.not.toContain('cmd=monitor')
  })

  it('works on a server with a password', async () => {
    await using locked = await startRedis({ args: ['--requirepass', 'secret'] })
    const { counts } = await countCommands(`redis://:secret@127.0.0.1:${String(locked.port)}`, async () => {
      const client = new Redis(locked.port, { password: 'secret' })
      await client.set('k', 'v')
      client.disconnect()
    })
    expect(counts.get('set')).toBe(1)
  })
})

it('lists keys, and those that never expire', async () => {
  const prefix = uniqueName('keys')
  await redis.set(`${prefix}:b`, '1', 'PX', 10_000)
  await redis.set(`${prefix}:a`, '1')
  await expect(leftoverKeys(server.url, `${prefix}:*`)).resolves.toEqual([`${prefix}:a`, `${prefix}:b`])
  await expect(keysWithoutTtl(server.url, `${prefix}:*`)).resolves.toEqual([`${prefix}:a`])
  expect(uniqueName('keys')).not.toBe(prefix)
})

describe('watchResources', () => {
  it('withRedis leaves nothing, whether it connects or not', async () => {
    const resources = watchResources()
    await withRedis(server.url, (client) => client.ping())
    await expect(withRedis('redis://127.0.0.1:1', (client) => client.ping())).rejects.toThrow('ECONNREFUSED')
    await resources.expectNone()
  })

  it('a client that is closed leaves nothing', async () => {
    const resources = watchResources()
    const client = new Redis(server.url)
    await client.ping()
    expect(resources.open()).not.toEqual([])
    client.disconnect()
    await resources.expectNone()
  })

  it('a client that is not closed is named with its origin', async () => {
    const resources = watchResources()
    const client = new Redis(server.url)
    await client.ping()
    await expect(resources.expectNone(50)).rejects.toThrow(/left open:[^]*TCPWRAP.*ioredis/)
    client.disconnect()
  })

  it('a forgotten timer is found even if it keeps nothing alive', async () => {
    const resources = watchResources()
    const timer = setTimeout(() => undefined, 60_000)
    timer.unref()
    await expect(resources.expectNone(50)).rejects.toThrow(/Timeout.*observe\.test/)
    clearTimeout(timer)
  })

  it('a cleared timer, an interval and a closed server are not listed', async () => {
    const resources = watchResources()
    clearTimeout(setTimeout(() => undefined, 60_000))
    clearInterval(setInterval(() => undefined, 60_000))
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    listener.close()
    await resources.expectNone()
  })

  it('a process is listed until it has ended', async () => {
    const resources = watchResources()
    const child = spawn(process.execPath, ['--eval', 'process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    expect(resources.open().join()).toContain('PROCESSWRAP')
    child.stdin.end()
    await once(child, 'close')
    await resources.expectNone()
  })
})
