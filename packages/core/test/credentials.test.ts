import {
  startCluster,
  startRedis,
  startSentinels,
  uniqueName,
  until,
  type RedisCluster,
  type RedisSentinels,
  type RedisServer,
} from '@holdfast/testkit'
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { Holdfast, type HoldfastOptions, type Lease } from '../src/index.js'
import { closeAfterTest, closeAll, openClient } from './support/clients.js'

const user = 'locks'

let server: RedisServer
let cluster: RedisCluster
let group: RedisSentinels

beforeAll(async () => {
  ;[server, cluster, group] = await Promise.all([startRedis(), startCluster(), startSentinels()])
})
afterAll(() => Promise.all([server.stop(), cluster.stop(), group.stop()]))
afterEach(closeAll)

/** The application's user and its present password, at all servers. */
class Account {
  password = 'first'
  asked = 0
  readonly #servers: readonly RedisServer[]

  constructor(servers: readonly RedisServer[]) {
    this.#servers = servers
  }

  get credentials(): { username: string; password: string } {
    this.asked++
    return { username: user, password: this.password }
  }

  async open(): Promise<this> {
    await this.#set('reset', 'on', `>${this.password}`, '+@all', '~*', '&*')
    return this
  }

  /** From now on the former password is wrong, and connections that logged in with it are gone. */
  async rotate(): Promise<void> {
    this.password = uniqueName('password')
    await this.#set('resetpass', `>${this.password}`)
    await Promise.all(this.#servers.map((each) => each.call('CLIENT', 'KILL', 'USER', user)))
  }

  async #set(...rules: string[]): Promise<void> {
    await Promise.all(this.#servers.map((each) => each.call('ACL', 'SETUSER', user, ...rules)))
  }
}

type Where = Pick<HoldfastOptions, 'redis' | 'credentials'>

/** The application's client, which never connects. */
const lazy = { lazyConnect: true }

const byProvider = (redis: HoldfastOptions['redis'], account: Account): Where => ({
  redis,
  credentials: () => account.credentials,
})

/** An application that changes the options of its client. */
function byOptions(redis: Redis | Cluster, account: Account): Where {
  const options = 'redisOptions' in redis.options ? redis.options.redisOptions : redis.options
  if (!options) throw new Error('the client has no options to change')
  Object.defineProperties(options, {
    username: { get: () => account.credentials.username, enumerable: true },
    password: { get: () => account.credentials.password, enumerable: true },
  })
  return { redis }
}

const sentinels = () => ({ sentinels: [...group.sentinels], name: group.name, ...lazy })
const nodes = () => [...cluster.startupNodes]

const ways: readonly [
  how: string,
  servers: () => readonly RedisServer[],
  where: (account: Account) => Where,
][] = [
  ['a URL and a provider', () => [server], (account) => byProvider(server.url, account)],
  [
    'ioredis 5 and a provider',
    () => [server],
    (account) => byProvider(new Redis5(server.url, lazy), account),
  ],
  [
    'a promise of credentials',
    () => [server],
    (account) => ({ redis: server.url, credentials: () => Promise.resolve(account.credentials) }),
  ],
  ['options of a client', () => [server], (account) => byOptions(new Redis(server.url, lazy), account)],
  ['Sentinels', () => group.servers, (account) => byProvider(new Redis(sentinels()), account)],
  ['a Cluster', () => cluster.nodes, (account) => byProvider(new Cluster(nodes(), lazy), account)],
  [
    'a Cluster of ioredis 5',
    () => cluster.nodes,
    (account) => byProvider(new Cluster5(nodes(), lazy), account),
  ],
  [
    'options of a Cluster',
    () => cluster.nodes,
    (account) => byOptions(new Cluster(nodes(), { ...lazy, redisOptions: { username: user } }), account),
  ],
]

it.each(ways)(
  'with %s a password that is rotated ends none of 100 holds and none of 20 waits',
  async (_how, servers, where) => {
    const account = await new Account(servers()).open()
    const holdfast = openClient(where(account).redis, { ...where(account), watchdogTimeoutMs: 3_000 })
    const lost: unknown[] = []
    holdfast.on('lost', (event) => lost.push(event)).on('error', () => undefined)
    const names = Array.from({ length: 100 }, () => uniqueName('rotated'))
    const leases = await Promise.all(names.map((name) => holdfast.getLock(name).lock()))
    const waits = names.slice(0, 20).map((name) => holdfast.getLock(name).lock())
    await until(() => holdfast.stats().waiters === 20)
    const askedBefore = account.asked
    await account.rotate()
    // All renewals after this one are by a connection with the new password.
    const renewed = new Set<string>()
    holdfast.on('renewed', ({ name }) => renewed.add(name))
    await until(() => renewed.size === 100, { what: 'all holds to be renewed' })
    await Promise.all(leases.map((lease) => lease.unlock()))
    const served: Lease[] = await Promise.all(waits)
    await Promise.all(served.map((lease) => lease.unlock()))
    expect(lost).toEqual([])
    expect(account.asked).toBeGreaterThanOrEqual(askedBefore + 2)
  },
)

describe('a provider', () => {
  it.each(ways.filter(([how]) => /provider$|^Sentinels|^a Cluster$/.test(how)))(
    'with %s that learns the new password late has calls wait, as in an outage',
    async (_how, servers, where) => {
      const account = await new Account(servers()).open()
      let known = account.password
      const credentials = () => ({ username: user, password: known })
      const options = { credentials, commandTimeoutMs: 500 }
      const holdfast = openClient(where(account).redis, { ...where(account), ...options })
      const errors: Error[] = []
      holdfast.on('error', (error) => errors.push(error))
      const lock = holdfast.getLock(uniqueName('stale'))
      await (await lock.lock()).unlock()
      await account.rotate()
      await until(() => errors.some(({ message }) => message.includes('WRONGPASS')), {
        what: 'a rejected login',
      })
      const waiting = lock.lock()
      await expect(lock.tryLock()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      known = account.password
      await (await waiting).unlock()
      expect(errors).not.toContainEqual(expect.objectContaining({ code: 'REFUSED' }))
    },
  )

  const failing: readonly [how: string, provide: () => unknown, message: RegExp][] = [
    [
      'throws',
      () => {
        throw new Error('no token')
      },
      /credentials failed: no token/,
    ],
    ['rejects', () => Promise.reject(new TypeError('no token')), /credentials failed: no token/],
    ['hangs', () => new Promise(() => undefined), /credentials did not resolve within 500 ms/],
    ['returns a string', () => 'secret', /credentials must return \{ username\?, password \}, got a string/],
    ['returns nothing', () => undefined, /got undefined/],
    ['returns no password', () => ({ username: user }), /got undefined as password/],
    ['returns an empty password', () => ({ password: '' }), /got an empty string as password/],
    [
      'returns a username that is not a string',
      () => ({ username: 7, password: 'secret' }),
      /a username that is not/,
    ],
  ]

  it.each(failing)(
    'that %s is an outage with this cause, and is tried again',
    async (_how, provide, message) => {
      const account = await new Account([server]).open()
      const isFailing = { value: true }
      const credentials = (): never => {
        // What a program without types may return.
        const given: unknown = isFailing.value ? provide() : account.credentials
        return given as never
      }
      const holdfast = new Holdfast({ redis: server.url, credentials, commandTimeoutMs: 500 })
      closeAfterTest(() => holdfast.close())
      const errors: string[] = []
      holdfast.on('error', ({ message: text }) => errors.push(text))
      const lock = holdfast.getLock(uniqueName('provider'))
      const waiting = lock.lock()
      await until(() => errors.some((text) => message.test(text)), { what: 'the outage to be reported' })
      await expect(lock.tryLock()).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringMatching(message) as string,
      })
      expect(errors.join('\n')).not.toContain('secret')
      isFailing.value = false
      await (await waiting).unlock()
    },
  )

  it('that hangs does not hold up close(), and is not asked afterwards', async () => {
    let asked = 0
    const credentials = (): Promise<never> => {
      asked++
      return new Promise(() => undefined)
    }
    const holdfast = new Holdfast({ redis: server.url, credentials, commandTimeoutMs: 60_000 })
    const waiting = holdfast.getLock('unreached').lock()
    await until(() => asked > 0)
    const [end] = await Promise.allSettled([waiting, holdfast.close()])
    expect(end).toMatchObject({ status: 'rejected', reason: { code: 'CLOSED' } })
    // Once for each connection: for commands, and for messages.
    expect(asked).toBe(2)
  })

  it('that names no user leaves the one in the URL', async () => {
    const account = await new Account([server]).open()
    const redis = server.url.replace('//', `//${user}@`)
    const holdfast = openClient(redis, { credentials: () => ({ password: account.password }) })
    const locking = holdfast.getLock(uniqueName('user')).withLock(() => server.call('ACL', 'WHOAMI'))
    await expect(locking).resolves.toBe('default')
    const clients = String(await server.call('CLIENT', 'LIST')).split('\n')
    const own = clients.filter((line) => line.includes(holdfast.clientId))
    expect(own.map((line) => / user=(\S+)/.exec(line)?.[1])).toEqual(own.map(() => user))
    expect(own.length).toBeGreaterThan(0)
  })

  it('must be a function', () => {
    const credentials = { password: 'secret' } as never
    expect(() => new Holdfast({ redis: server.url, credentials })).toThrow(
      'credentials must be a function that returns { username?, password } or a promise of it, got an object',
    )
  })
})
