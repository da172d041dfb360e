import {
  countCommands,
  keysWithoutTtl,
  killClients,
  startCluster,
  startRedis,
  uniqueName,
  until,
  withRedis,
  type RedisCluster,
  type RedisServer,
  soon,
} from '@holdfast/testkit'
import { HoldfastError, LockTimeoutError } from '../src/index.js'
import { closeAfterTest, closeAll, openProxy, openRedisClient, useOnce } from './support/clients.js'
import { openShared } from './support/open-shared.js'
import {
  inCluster,
  listenersIn,
  onServer,
  otherOwnerIn,
  type SharedTopology,
  untilQueuedIn,
} from './support/shared-topologies.js'
import { OtherOwner } from './support/other-owner.js'
import { listen, releaseChannel } from './support/redisson-channels.js'
import { minimumPermissions, usefulPermissions } from './support/permissions.js'
import { loadScripts, runs, runsOf } from './support/scripts.js'
import { untilLength } from './support/until-length.js'

let server: RedisServer
let cluster: RedisCluster
let name: string

beforeAll(async () => {
  ;[server, cluster] = await Promise.all([startRedis(), startCluster({ replicas: 1 })])
})
afterAll(() => Promise.all([server.stop(), cluster.stop()]))

beforeEach(() => {
  name = uniqueName('shared')
})
afterEach(closeAll)

const single = onServer(() => server)
const clustered = inCluster(() => cluster)
const topologies = [
  ['on a single server', single],
  ['in a cluster', clustered],
] as const

const javaOf = (topology: SharedTopology) => otherOwnerIn(topology, name)
const listeners = (topology: SharedTopology) => listenersIn(topology, name)
const untilQueued = (topology: SharedTopology, count: number) => untilQueuedIn(topology, name, count)

describe.each(topologies)('a lock shared with Redisson, %s,', (_, topology) => {
  it('is a hash of its owner, and announced by exactly one 0 whenever it becomes free', async () => {
    const { url } = await topology.home(name)
    const messages = await listen({ url }, topology.publish, releaseChannel(name))
    const lock = topology.open().getLock(name)
    await lock.withLock(({ owner }) =>
      lock.withLock(async () => {
        expect(await withRedis(url, (redis) => redis.hgetall(name))).toEqual({ [owner]: '2' })
      }),
    )
    await lock.withLock(() => undefined)
    const lease = await lock.lock()
    expect(await topology.open().getLock(name).forceUnlock()).toBe(true)
    await until(() => lease.signal.aborted, { what: 'the eviction to be reported' })
    await (await javaOf(topology)).say(name, 'end')
    await untilLength(messages, 4)
    expect(messages).toEqual(['0', '0', '0', 'end'])
  })

  it('passes from one waiter here to the next, in the order of their requests', async () => {
    const holdfasts = [topology.open(), topology.open()]
    const blocker = await topology.open().getLock(name).lock()
    const entered: number[] = []
    const passes: Promise<unknown>[] = []
    for (let n = 0; n < 6; n += 1) {
      const pass = holdfasts[n % 2]?.getLock(name).withLock(() => entered.push(n))
      pass?.catch(() => undefined)
      passes.push(Promise.resolve(pass))
      await untilQueued(topology, n + 1)
    }
    await blocker.unlock()
    await soon(Promise.all(passes))
    expect(entered).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('leaves no key without a TTL but the count of tokens', async () => {
    const { url } = await topology.home(name)
    const holdfast = topology.open()
    const lock = holdfast.getFencedLock(name)
    const lease = await lock.lock()
    const waiting = [lock.lock(), topology.open().getFencedLock(name).lock()]
    await untilQueued(topology, 2)
    const eternal = async () => (await keysWithoutTtl(url, '*')).filter((key) => key.includes(name))
    expect(await eternal()).toEqual([`redisson_lock_token:{${name}}`])
    await lease.unlock()
    expect(await eternal()).toEqual([`redisson_lock_token:{${name}}`])
    const [first, second] = waiting
    const next = await Promise.race(waiting)
    expect(await withRedis(url, (redis) => redis.hget(`{${name}}:waiters`, 'turn'))).toBeNull()
    await next.unlock()
    for (const each of [first, second]) await (await each)?.unlock()
    const left = await withRedis(url, (redis) => redis.keys(`*${name}*`))
    expect(left).toEqual([`redisson_lock_token:{${name}}`])
  })

  it("is subscribed to Java's releases only while a caller waits and shortly after, and not at all once closed", async () => {
    const holdfast = topology.open({ watchdogTimeoutMs: 6_000 })
    const lock = holdfast.getLock(name)
    const java = await javaOf(topology)
    await lock.withLock(() => undefined)
    expect(await listeners(topology)).toBe(0)
    await java.tryLock(name)
    await expect(lock.lock({ waitMs: 1_500 })).rejects.toThrow(LockTimeoutError)
    expect(await listeners(topology)).toBe(1)
    await until(async () => (await listeners(topology)) === 0, { what: 'the subscription to end' })
    const waiting = lock.lock().catch((error: unknown) => error)
    await untilQueued(topology, 1)
    expect(await listeners(topology)).toBe(1)
    await holdfast.close()
    expect(await waiting).toMatchObject({ code: 'CLOSED' })
    expect(await listeners(topology)).toBe(0)
  })

  it('keeps working when its subscriptions are cut, and subscribes again at once', async () => {
    const java = await javaOf(topology)
    await java.tryLock(name)
    const waiting = topology.open().getLock(name).lock()
    await untilQueued(topology, 1)
    const home = await topology.home(name)
    await killClients(home, ['pubsub'])
    await java.unlock(name)
    await soon(waiting)
  })
})

describe('fencing tokens', () => {
  it('of a plain lock there are none, which its lease says', async () => {
    const lease = await single.open().getLock(name).lock()
    expect(() => lease.fencingToken).toThrow(HoldfastError)
    expect(() => lease.fencingToken).toThrow(/getFencedLock/)
  })

  it('are drawn once for a hold, and by a plain one when it is entered as a fenced one', async () => {
    const holdfast = single.open()
    const fenced = holdfast.getFencedLock(name)
    const plain = holdfast.getLock(name)
    await fenced.withLock(async (outer) => {
      const tokens = await fenced.withLock((inner) => [outer.fencingToken, inner.fencingToken])
      expect(tokens).toEqual([1, 1])
      expect(await plain.withLock((inner) => inner.fencingToken)).toBe(1)
    })
    await plain.withLock(async (outer) => {
      expect(await fenced.withLock((inner) => inner.fencingToken)).toBe(2)
      expect(outer.fencingToken).toBe(2)
    })
    expect(await openRedisClient(server.url).get(`redisson_lock_token:{${name}}`)).toBe('2')
  })

  it('are not drawn twice by a request that runs twice', async () => {
    const proxy = await openProxy(server)
    await loadScripts(openRedisClient(server.url))
    const holdfast = openShared(proxy.url)
    await useOnce(holdfast)
    const lost = proxy.loseReply(runs('redissonLockAcquire', name))
    const lease = await holdfast.getFencedLock(name).lock()
    await lost
    expect(lease.fencingToken).toBe(1)
    expect(await openRedisClient(server.url).get(`redisson_lock_token:{${name}}`)).toBe('1')
  })
})

describe('a user with only the permissions it needs', () => {
  // Those of a lock that is not shared, without the keys and channels of such a lock.
  const permissions = [
    ...minimumPermissions.filter((permission) => !/^[~&]/.test(permission)),
    ...usefulPermissions,
    '~shared-*',
    '~{shared-*',
    '~redisson_lock_token:{shared-*',
    '~holdfast:client:*',
    '&holdfast:inbox:*',
    '&redisson_lock__channel:{shared-*',
    '+incr',
    '+lindex',
    '+unsubscribe',
  ]

  it('can share a lock', async () => {
    await server.call('ACL', 'SETUSER', 'sharer', 'reset', 'on', '>secret', 'resetchannels', ...permissions)
    const url = server.url.replace('//', '//sharer:secret@')
    const problems: unknown[] = []
    const open = () => {
      const holdfast = openShared(url, { watchdogTimeoutMs: 3_000 })
      holdfast.on('warning', (warning) => problems.push(warning))
      holdfast.on('error', (error) => problems.push(error))
      return holdfast.getFencedLock(name)
    }
    const java = await javaOf(single)
    await java.tryLock(name)
    const waiting = open().lock()
    await untilQueued(single, 1)
    await java.unlock(name)
    const lease = await waiting
    const next = open().lock()
    await untilQueued(single, 1)
    await lease.unlock()
    await (await next).unlock()
    await until(async () => (await listeners(single)) === 0, { what: 'the subscriptions to end' })
    expect(problems).toEqual([])
  })
})

describe('cost', () => {
  it('one request and one release for an undisturbed cycle, and no subscription', async () => {
    await loadScripts(openRedisClient(server.url))
    const holdfast = single.open()
    await useOnce(holdfast)
    const lock = holdfast.getLock(name)
    const { counts } = await countCommands(server.url, async () => {
      for (let n = 0; n < 10; n += 1) await lock.withLock(() => undefined)
    })
    expect([...counts.values()]).toEqual([10, 10])
    expect([runsOf(counts, 'redissonLockAcquire'), runsOf(counts, 'redissonLockRelease')]).toEqual([10, 10])
  })

  it('of waiting in one client is at most two requests and one release for a cycle, and a request after each head start', async () => {
    await loadScripts(openRedisClient(server.url))
    const lock = single.open().getLock(name)
    const blocker = await lock.lock()
    const passes = Array.from({ length: 50 }, () => lock.withLock(() => undefined))
    await untilQueued(single, 50)
    const { counts } = await countCommands(server.url, async () => {
      await blocker.unlock()
      await Promise.all(passes)
    })
    const releases = runsOf(counts, 'redissonLockRelease')
    expect(releases).toBeGreaterThanOrEqual(51)
    // Word that is overtaken, whose waiter has been in and out by way of the other word, is answered by giving it up. Of
    // ten thousand releases not one is.
    expect(releases).toBeLessThanOrEqual(51 + 3)
    // One release in four leaves a head start: of 50, more than 28 never do in ten million times.
    expect(runsOf(counts, 'redissonLockAcquire')).toBeLessThanOrEqual(51 + 28)
  })
})

describe('in a cluster', () => {
  it('the waiters of a lock follow it to the node that takes over', async () => {
    const before = await javaOf(clustered)
    await before.tryLock(name)
    const waiting = clustered.open().getLock(name).lock()
    await untilQueued(clustered, 1)
    await cluster.failover(name)
    await until(async () => (await listeners(clustered)) === 1, {
      what: 'a subscription at the new master',
    })
    const after = await javaOf(clustered)
    await after.forceUnlock(name)
    const lease = await soon(waiting)
    await lease.unlock()
  })

  it('plain channels are used where the user may not use sharded ones, as Java does then', async () => {
    const everywhere = (rule: string) =>
      Promise.all(cluster.nodes.map((node) => node.call('ACL', 'SETUSER', 'default', rule)))
    await everywhere('-pubsub|shardnumsub')
    closeAfterTest(() => everywhere('+pubsub|shardnumsub'))
    const messages = await listen(await clustered.home(name), 'PUBLISH', releaseChannel(name))
    const java = new OtherOwner(await clustered.home(name), 'PUBLISH')
    await java.tryLock(name)
    const waiting = clustered.open().getLock(name).lock()
    await untilQueued(clustered, 1)
    await java.unlock(name)
    const lease = await soon(waiting)
    await lease.unlock()
    await untilLength(messages, 2)
    expect(messages).toEqual(['0', '0'])
  })

  it('a grant can be confirmed by replicas too, with the token that it drew', async () => {
    const lock = clustered.open({ minReplicas: 1 }).getFencedLock(name)
    expect(await lock.withLock((lease) => lease.fencingToken)).toBe(1)
    const { url } = await clustered.home(name)
    expect(await withRedis(url, (redis) => redis.get(`redisson_lock_token:{${name}}`))).toBe('1')
  })
})
