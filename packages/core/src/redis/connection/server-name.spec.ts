import { Cluster, Redis } from 'ioredis'
import { serverName } from './connections.js'

const lazyConnect = true

it.each([
  [
    'a URL with credentials',
    () => new Redis('redis://me:secret@db:7000/2', { lazyConnect }),
    'Redis at db:7000',
  ],
  ['no address', () => new Redis({ lazyConnect }), 'Redis at localhost:6379'],
  ['TLS', () => new Redis('rediss://db:7000', { lazyConnect }), 'Redis at db:7000 (TLS)'],
  ['tls: false', () => new Redis({ host: 'db', tls: false as never, lazyConnect }), 'Redis at db:6379'],
  ['tls: null', () => new Redis({ host: 'db', tls: null as never, lazyConnect }), 'Redis at db:6379'],
  ['a Unix socket', () => new Redis({ path: '/run/redis.sock', lazyConnect }), 'Redis at /run/redis.sock'],
  [
    'Sentinels',
    () => new Redis({ sentinels: [{ host: 'a', port: 1 }, { host: 'b' }], name: 'main', lazyConnect }),
    'Redis master main of Sentinel at a:1, b:26379',
  ],
  [
    'cluster nodes in every form that ioredis takes',
    () => new Cluster([{ host: 'a', port: 1 }, 'redis://me:secret@b:2', 3], { lazyConnect }),
    'Redis Cluster at a:1, b:2, 127.0.0.1:3',
  ],
  [
    'many cluster nodes',
    () => new Cluster(['a:1', 'b:2', 'c:3', 'd:4', 'e:5'], { lazyConnect }),
    'Redis Cluster at a:1, b:2, c:3 and 2 more',
  ],
])('a client made with %s is named by its addresses alone', (_, make, name) =>
  expect(serverName(make())).toBe(name),
)
