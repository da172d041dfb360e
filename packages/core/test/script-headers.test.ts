import { readdirSync, readFileSync } from 'node:fs'
import { uniqueName } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import {
  permitExpirableCalls,
  Publishing,
  redissonLatchCalls,
  redissonLockCalls,
  redissonReadWriteCalls,
  rSemaphoreCalls,
} from '../src/redis/redisson/calls.js'
import type { Keys } from '../src/redis/keys.js'
import { ScriptConnection } from '../src/redis/connection/script-connection.js'
import { nativeCalls, RedisCommands } from '../src/redis/commands.js'
import { openConnections } from '../src/redis/connection/connections.js'
import { acquireManyBy, nativeLatchCalls, RedisLatches, sharedCalls } from '../src/redis/carried-steps.js'
import { ServerIdentity, Permissions } from '../src/redis/server-identity.js'
import { RedisOperator } from '../src/redis/operator.js'
import { RedisRegistry } from '../src/redis/session.js'
import { closeAfterTest, closeAll, openRedisClient } from './support/clients.js'
import { plainKeySpace, sharedKeySpace } from './support/key-space.js'
import { scripts } from './support/scripts.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let redis: Redis
let keys: Keys

beforeEach(() => {
  redis = openRedisClient(server.url)
  keys = plainKeySpace.locate(uniqueName('script'))
})

afterEach(closeAll)

describe('the header of a script', () => {
  const folder = `${__dirname}/../../../lua`
  const files = readdirSync(folder, { encoding: 'utf8', recursive: true }).filter(
    (file) => file.endsWith('.lua') && !/(^|\/)includes\//.test(file),
  )

  /** `redisson/lock/acquire.lua` becomes `redissonLockAcquire`. */
  const scriptNameOf = (file: string): string =>
    file.replace(/\.lua$/, '').replace(/[-/](\w)/g, (_, letter: string) => letter.toUpperCase())

  const isPerItem = (index: string): boolean => /\bi\b|\di\b/.test(index)

  /** What a header says of `KEYS` or `ARGV`: by index, or per item when the index is a formula in `i`. */
  function documented(header: string, list: 'KEYS' | 'ARGV') {
    const lines = [...header.matchAll(new RegExp(`^ *${list}\\[(.+?)\\] +(\\w+)?`, 'gm'))]
    const indices = lines.map(([, index = '']) => index)
    return {
      names: new Map(lines.map(([, index = '', name = '']) => [index, name])),
      count: lines.length,
      isPerItem: indices.some(isPerItem),
      /** How many are sent for so many items. */
      countFor: (items: number) =>
        indices.reduce((count, index) => count + (isPerItem(index) ? items : 1), 0),
      /** As many as there happen to be. */
      isOpen: indices.some((index) => index === 'i' || index.endsWith('…')),
    }
  }

  function read(file: string) {
    const text = readFileSync(`${folder}/${file}`, 'utf8')
    const [, header = '', body = ''] = /^--\[\[\n(.*?)\]\]\n(.*)$/s.exec(text) ?? []
    return { header, body, keys: documented(header, 'KEYS'), args: documented(header, 'ARGV') }
  }

  it.each(files)('of %s comes first and says what it takes, returns and publishes', (file) => {
    const { header, keys } = read(file)
    expect(header).toMatch(/^ {2}\S.*\.$/m)
    expect(keys.count).toBeGreaterThan(0)
    expect(header).toMatch(/^ {2}Returns /m)
    expect(header).toMatch(/^ {2}Publishes |^ {2}Changes and publishes nothing/m)
    expect(header).toMatch(/Safe to run twice|Changes and publishes nothing/)
  })

  it('counts the keys and arguments that are sent', async () => {
    const connections = openConnections(server.url, 'c1', 1_000)
    const quiet = { timeoutMs: 5_000, patternsFor: String, onBreak() {}, onReconnect() {}, onError() {} }
    const connection = new ScriptConnection(connections, quiet)
    closeAfterTest(() => connection.close())
    const sent = jest.spyOn(connection, 'run')
    const parts = { connection, inbox: 'c1', onNoticeError() {} }
    const native = { lock: nativeCalls(true), shared: sharedCalls(true) }
    const commands = new RedisCommands({ ...parts, calls: native })
    const publishing = new Publishing()
    acquireManyBy(commands, connection)
    const redisson = new RedisCommands({
      ...parts,
      calls: {
        lock: redissonLockCalls(true, publishing),
        semaphore: rSemaphoreCalls(publishing),
        permits: permitExpirableCalls(publishing),
        'read-write-lock': redissonReadWriteCalls(publishing),
      },
    })
    const [other, third] = [
      plainKeySpace.locate(uniqueName('script')),
      plainKeySpace.locate(uniqueName('script')),
    ]
    // None of it ends on the way: later steps find the mark of an earlier one.
    const times = { leaseMs: 10_000, entryTtlMs: 10_000, grantLeaseMs: 10_000, proof: 'p' }
    const request = { owner: 'c1:1', count: 1, ...times, wantsToken: true }
    for (const each of [commands, redisson]) {
      await each.acquire(keys, request)
      await each.release(keys, {
        owner: 'c1:1',
        count: 0,
        tombstoneMs: 10_000,
        keepMs: 1,
        heir: 'c2:1:ticket:x',
      })
      await each.force(keys, 'c1:1')
    }
    await commands.acquire(keys, { ...request, count: 2 })
    await connection.run({ script: scripts.redissonIdentifySharding, keys: [keys.main], args: [] }, String)
    const readWrites = [1, 2, 3].map(() => sharedKeySpace.locate(uniqueName('script'), 'read-write-lock'))
    const [readWrite = keys] = readWrites
    await redisson.acquire(readWrite, request)
    await redisson.release(readWrite, { owner: 'c1:1', count: 0, tombstoneMs: 10_000 })
    await redisson.force(readWrite, 'c1:1')
    await redisson.inspect(readWrite, 10)
    await redisson.renew(
      readWrites.map((each) => ({ address: each, owner: 'c1:1', leaseMs: 10_000 })),
      1_000,
    )
    await redisson.refresh(readWrites.map((each) => ({ address: each, owner: 'c1:1', entryTtlMs: 10_000 })))
    await commands.inspect(keys, 10)
    const all = [keys, other, third]
    await commands.renew(
      all.map((each) => ({ address: each, owner: 'c1:1', leaseMs: 10_000 })),
      1_000,
    )
    await commands.refresh(all.map((each) => ({ address: each, owner: 'c1:1', entryTtlMs: 10_000 })))
    for (const kind of ['shared', 'semaphore', 'permits'] as const) {
      const semaphores = all.map(({ name }) => ({ ...plainKeySpace.locate(name, 'semaphore'), kind }))
      const [semaphore = keys] = semaphores
      const each = kind === 'shared' ? commands : redisson
      await each.acquire(semaphore, { ...request, count: 2, size: 5 })
      await each.release(semaphore, { owner: 'c1:1', count: 0, tombstoneMs: 10_000 })
      await each.force(semaphore, 'c1:1')
      if (kind !== 'semaphore') {
        await each.resize(semaphore, { size: 3, keepMs: 10_000, version: 0, id: 'a' }, 1_000)
      }
      await each.inspect(semaphore, 10)
      await each.renew(
        semaphores.map((address) => ({ address, owner: 'c1:1', leaseMs: 10_000 })),
        1_000,
      )
      await each.refresh(semaphores.map((address) => ({ address, owner: 'c1:1', entryTtlMs: 10_000 })))
      await redis.del(semaphore.main, semaphore.id, semaphore.ends)
    }
    const locks = all.map((address, n) => ({ address, owner: `c1:${n}` }))
    await commands.acquireMany?.({ locks, mode: 'all', leaseMs: 10_000 })
    await commands.acquire(keys, { ...request, heir: 'c2:1:ticket:x' })
    await commands.raiseToken?.(keys, 1, 1_000)
    const servers = new ServerIdentity(connection)
    await servers.read(keys.main)
    const nativeLatches = new RedisLatches({ ...parts, calls: nativeLatchCalls, servers })
    const redissonLatches = new RedisLatches({ ...parts, calls: redissonLatchCalls(publishing), servers })
    const ofLatches = [1, 2, 3].map(() => plainKeySpace.locate(uniqueName('script'), 'latch'))
    const [latch = keys] = ofLatches
    const step = { named: 1, setter: 'c1:1', count: 1, keepMs: 1_000, party: 'c1:1', tombstoneMs: 1_000 }
    for (const latches of [nativeLatches, redissonLatches]) {
      await latches.set(latch, step, 1_000)
      await latches.countDown(latch, step, 1_000)
      await latches.delete(latch, step, 1_000)
      await latches.inspect(latch, 10)
      await latches.wait(
        ofLatches.map((address) => ({ address, awaited: undefined, aliveMs: 1_000 })),
        1_000,
      )
      await redis.del(latch.main, latch.counted)
    }
    const me = { host: 'h', pid: 1, label: 'label', startedAt: new Date() }
    const host = { clientId: 'c1', client: me, watchdogTimeoutMs: 1_000, warn() {} }
    const hub = { verify: () => Promise.resolve() }
    const registry = new RedisRegistry({ connection, keySpace: plainKeySpace, host, inbox: 'c1', hub })
    await registry.announce(true)
    await new Permissions(connection, keys.main, Object.values(scripts)).lookAtLocks()
    const operator = new RedisOperator({
      ...{ connection, registry, keySpace: plainKeySpace, clientId: 'c1', countsReceivers: true },
      onNoticeError: () => undefined,
    })
    await operator.send(['c1', 'c2'], 'text')

    const calls = sent.mock.calls.map(([call]) => call)
    expect(calls.map(({ script }) => script.name).sort()).toEqual(files.map(scriptNameOf).sort())
    for (const { script, keys: sentKeys, args: sentArgs } of calls) {
      const header = read(files.find((file) => scriptNameOf(file) === script.name) ?? '')
      const items = header.keys.isPerItem ? all.length : 1
      expect([script.name, sentKeys.length]).toEqual([script.name, header.keys.countFor(items)])
      if (header.args.isOpen) expect(sentArgs.length).toBeGreaterThanOrEqual(header.args.count)
      else expect([script.name, sentArgs.length]).toEqual([script.name, header.args.countFor(items)])
    }
  })
})
