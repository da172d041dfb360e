import { Holdfast, HoldfastQuorum, InvalidArgumentError } from '../../src/index.js'
import { redisClient } from '../../src/engine/index.js'
import { nodeRedis } from '../../src/node-redis/index.js'
import { versions } from './support/versions.js'

/** Calls it as a program without types does. */
const call = (run: unknown, ...args: unknown[]): unknown => {
  if (typeof run !== 'function') throw new Error('it is not a function')
  const result: unknown = Reflect.apply(run, nodeRedis, args)
  return result
}

const make = (redis: unknown): unknown => {
  const made: unknown = Reflect.construct(Holdfast, [{ redis }])
  return made
}

describe.each(versions)('of node-redis $version', (library) => {
  const client = library.createClient()
  const cluster = library.createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:1' }] })
  const sentinel = library.createSentinel({
    name: 'main',
    sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }],
  })
  const pool = library.createClientPool()

  it.each([
    [
      'a client',
      client,
      /with @holdfast\/core\/node-redis pass it as new Holdfast\(\{ redis: nodeRedis\(createClient\(\{ url \}\)\) \}\)$/,
    ],
    [
      'a cluster',
      cluster,
      /pass it as new Holdfast\(\{ redis: nodeRedis\.cluster\(createClient, \{ rootNodes \}\) \}\)$/,
    ],
    [
      'a Sentinel client',
      sentinel,
      /pass it as .*nodeRedis\.sentinel\(createClient, \{ name, sentinelRootNodes \}\) \}\)$/,
    ],
    ['a pool', pool, /got a pool of the package redis; .*one connection for commands, and no pool$/],
  ])('%s without the package is refused with how to wrap it', (_what, given, message) => {
    expect(() => make(given)).toThrow(InvalidArgumentError)
    expect(() => make(given)).toThrow(message)
  })

  it('a master of a quorum is refused with how to wrap it there', () => {
    const construct = (): unknown =>
      call(Reflect.construct, HoldfastQuorum, [{ masters: [client, client, client] }])
    expect(construct).toThrow(
      /masters\[0\] must be .* pass it as masters: \[nodeRedis\(createClient\(\{ url \}\)\), …\]$/,
    )
  })

  it.each([
    [
      'a cluster',
      cluster,
      /got a cluster of the package redis; use nodeRedis\.cluster\(createClient, \{ rootNodes \}\)$/,
    ],
    [
      'a Sentinel client',
      sentinel,
      /; use nodeRedis\.sentinel\(createClient, \{ name, sentinelRootNodes \}\)$/,
    ],
    ['a pool', pool, /got a pool of the package redis; pass a client/],
    ['createClient itself', library.createClient, /got a function$/],
    [
      'a URL',
      'redis://user:secret@there',
      /^nodeRedis takes a client of the package redis, as in .*, got a string that begins with redis:\/\/$/,
    ],
    ['nothing', undefined, /got undefined$/],
  ])('nodeRedis refuses %s', (_what, given, message) => {
    expect(() => call(nodeRedis, given)).toThrow(InvalidArgumentError)
    expect(() => call(nodeRedis, given)).toThrow(message)
  })

  it.each<[unknown[], RegExp]>([
    [[client, {}], /^createClient must be that of the package redis, .*, got a client of the package redis$/],
    [[library.createClient, undefined], /got undefined; call it as nodeRedis\.sentinel\(/],
    [[library.createClient, { sentinelRootNodes: [] }], /^name must be the name .*, got undefined$/],
    [
      [library.createClient, { name: 'main' }],
      /^sentinelRootNodes must be an array of \{ host, port \} .*, got undefined$/,
    ],
    [[library.createClient, { name: 'main', sentinelRootNodes: [] }], /got an empty array$/],
    [
      [library.createClient, { name: 'main', sentinelRootNodes: [{ url: 'redis://a' }] }],
      /^sentinelRootNodes\[0\] must be \{ host, port \}, got an object$/,
    ],
  ])('nodeRedis.sentinel refuses what says nowhere where the Sentinels are, case %#', (args, message) => {
    expect(() => call(nodeRedis.sentinel, ...args)).toThrow(InvalidArgumentError)
    expect(() => call(nodeRedis.sentinel, ...args)).toThrow(message)
  })

  it.each<[unknown[], RegExp]>([
    [[cluster], /^createClient must be .*, got a cluster of the package redis$/],
    [[library.createClient, {}], /^rootNodes must be an array of \{ url \} or .*, got undefined$/],
    [
      [library.createClient, { rootNodes: ['redis://a'] }],
      /^rootNodes\[0\] must be \{ url \} or .*, got a string that begins with redis:\/\/$/,
    ],
    [
      [library.createClient, { rootNodes: [{ url: 'http://user:secret@a' }] }],
      /^the url of a root node is not a valid URL: (?!.*secret)/,
    ],
  ])('nodeRedis.cluster refuses what says nowhere where the cluster is, case %#', (args, message) => {
    expect(() => call(nodeRedis.cluster, ...args)).toThrow(InvalidArgumentError)
    expect(() => call(nodeRedis.cluster, ...args)).toThrow(message)
  })

  it('createClient is called once, whatever connects later', () => {
    const createClient = jest.fn(library.createClient)
    const rootNodes = [{ url: 'redis://a:1' }, { url: 'rediss://user:secret@b' }]
    const { topology } = nodeRedis.cluster(createClient, { rootNodes })
    expect(topology).toEqual({
      kind: 'cluster',
      startupNodes: [
        { host: 'a', port: 1 },
        { host: 'b', port: 6379 },
      ],
    })
    expect(createClient).toHaveBeenCalledTimes(1)
  })
})

it('a wrapper of another release is refused', () => {
  const other = { [redisClient]: 2 }
  expect(() => make(other)).toThrow(/was made for another release of @holdfast\/core \(interface 2, not 1\)/)
})
