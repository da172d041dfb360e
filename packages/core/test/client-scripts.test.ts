import { once } from 'node:events'
import { uniqueName, until } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import type { Keys } from '../src/redis/keys.js'
import { closeAll, openRedisClient } from './support/clients.js'
import { plainKeySpace } from './support/key-space.js'
import { scripts, type ScriptName } from './support/scripts.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let redis: Redis
let keys: Keys

beforeEach(() => {
  redis = openRedisClient(server.url)
  keys = plainKeySpace.locate(uniqueName('script'))
})

afterEach(closeAll)

/** Runs a script as it is, on a connection that belongs to no client of ours. */
const runScript = (name: ScriptName, scriptKeys: readonly string[], args: readonly (string | number)[]) =>
  redis.eval(scripts[name].lua, scriptKeys.length, ...scriptKeys, ...args)

describe('raise-fence', () => {
  const raise = (token: string, keepMs = 1_000) =>
    redis.eval(scripts.clientRaiseFence.lua, 1, keys.fence, token, keepMs)

  it('never lowers a token, however long the numbers are', async () => {
    for (const token of ['99', '100', '20', '1790000000000001', '1790000000000000'])
      expect(await raise(token)).toBe(1)
    expect(await redis.get(keys.fence)).toBe('1790000000000001')
  })

  it('has the token live for the time given, and never shorter than before', async () => {
    await raise('5', 60_000)
    expect(await redis.pttl(keys.fence)).toBeGreaterThan(55_000)
    await raise('5', 200_000)
    await raise('6')
    expect(await redis.pttl(keys.fence)).toBeGreaterThan(190_000)
  })

  it('changes nothing if the token, or the last one, is more than a day ahead of the clock', async () => {
    const beyond = String(Date.now() * 1_000 + 90_000_000_000)
    expect(await raise(beyond)).toEqual([-4, beyond])
    expect(await redis.exists(keys.fence)).toBe(0)
    await redis.set(keys.fence, beyond, 'PX', 60_000)
    expect(await raise('5')).toEqual([-4, beyond])
    expect(await redis.get(keys.fence)).toBe(beyond)
  })

  it('has later tokens of the lock be larger', async () => {
    const future = String(Date.now() * 1_000 + 3_600_000_000)
    await raise(future)
    const args = ['c1:1', 1_000, 0, '']
    const list = [keys.main, keys.queue, keys.waiters, keys.fence]
    const token = await redis.eval(scripts.lockAcquire.lua, list.length, ...list, ...args)
    expect(Number(token)).toBe(Number(future) + 1)
  })
})

describe('identify', () => {
  it('returns process, version, role and eviction policy, and changes nothing', async () => {
    const before = await redis.keys('*')
    const text = String(await runScript('clientIdentify', [keys.main], []))
    expect(text).toContain(`run_id:${await server.runId()}`)
    expect(text).toMatch(/^redis_version:\d/m)
    expect(text).toMatch(/^role:master/m)
    expect(text).toMatch(/^maxmemory_policy:noeviction/m)
    // Keys of earlier tests may end meanwhile.
    expect(before).toEqual(expect.arrayContaining(await redis.keys('*')))
  })
})

describe('register', () => {
  it('registers a client for a while, and run again does the same', async () => {
    const ear = openRedisClient(server.url)
    await ear.subscribe('inbox')
    const heard = once(ear, 'message')
    for (const _ of ['once', 'twice']) {
      expect(
        await runScript('clientRegister', [keys.main], [60_000, 'inbox', 1, 'host', 'h', 'pid', 7]),
      ).toEqual([1, ''])
      expect(await redis.hgetall(keys.main)).toEqual({ host: 'h', pid: '7' })
      expect(await redis.pttl(keys.main)).toBeGreaterThan(55_000)
    }
    expect(await heard).toEqual(['inbox', 'hello'])
  })

  it('publishes only what it is to, and counts no subscriber of a pattern', async () => {
    const ear = openRedisClient(server.url)
    const heard: string[] = []
    ear.on('pmessage', (_pattern: string, _channel: string, message: string) => heard.push(message))
    await ear.psubscribe('*')
    const register = (inbox: string, isTested: number): Promise<unknown> =>
      runScript('clientRegister', [keys.main], [60_000, inbox, isTested, 'host', 'h'])
    expect(await register('', 1)).toEqual([-1, ''])
    expect(await register('inbox', 0)).toEqual([0, ''])
    await redis.publish('inbox', 'end')
    await until(() => heard.includes('end'))
    expect(heard).toEqual(['end'])
  })

  it('leaves nothing that would stay forever when it may not set a TTL', async () => {
    await redis.call('ACL', 'SETUSER', 'timeless', 'on', '>secret', '~*', '&*', '+@all', '-pexpire')
    const timeless = openRedisClient(server.url.replace('redis://', 'redis://timeless:secret@'))
    const sent = timeless.eval(scripts.clientRegister.lua, 1, keys.main, 60_000, 'inbox', 1, 'host', 'h')
    await expect(sent).rejects.toThrow()
    expect(await redis.exists(keys.main)).toBe(0)
  })

  it('returns the reason when it may not publish, and registers the client all the same', async () => {
    await redis.call('ACL', 'SETUSER', 'mute', 'on', '>secret', '~*', '+@all', 'resetchannels')
    const mute = openRedisClient(server.url.replace('redis://', 'redis://mute:secret@'))
    const reply = await mute.eval(scripts.clientRegister.lua, 1, keys.main, 60_000, 'inbox', 1, 'host', 'h')
    expect(reply).toEqual([0, expect.stringMatching(/NOPERM|channel/)])
    expect(await redis.hgetall(keys.main)).toEqual({ host: 'h' })
  })
})
