import { Redis } from 'ioredis'
import { templateOf } from './template.js'

const optionsOf = (redis: unknown) => {
  const template = templateOf(redis)
  return 'options' in template ? template.options : undefined
}

describe('a template is made', () => {
  it.each([
    'rediss://user:p%40ss@redis.example:7000/2',
    'redis+tls://user:p%40ss@redis.example:7000/2',
    new URL('redis+tls://user:p%40ss@redis.example:7000/2'),
    'REDISS://user:p%40ss@redis.example:7000/2',
    'Redis+TLS://user:p%40ss@redis.example:7000/2',
  ])('from the TLS URL %p', (redis) => {
    const reach = { host: 'redis.example', port: 7000, db: 2, username: 'user', password: 'p@ss' }
    expect(optionsOf(redis)).toMatchObject(reach)
    expect(optionsOf(redis)).toHaveProperty('tls', expect.anything())
  })

  it.each(['redis://redis.example', 'Redis://redis.example', new URL('redis://redis.example')])(
    'without TLS from %p',
    (redis) => {
      expect(optionsOf(redis)).toMatchObject({ host: 'redis.example', port: 6379, db: 0 })
      expect(optionsOf(redis)).not.toHaveProperty('tls', expect.anything())
    },
  )

  it.each([
    ['/run/redis.sock', '/run/redis.sock', 0],
    ['/run/redis.sock?db=2', '/run/redis.sock', 2],
    ['unix:/run/redis.sock', '/run/redis.sock', 0],
    ['unix:///run/my%20redis.sock?db=2', '/run/my redis.sock', 2],
    [new URL('unix:///run/redis.sock'), '/run/redis.sock', 0],
  ])('from the socket %p', (redis, path, db) => expect(optionsOf(redis)).toMatchObject({ path, db }))

  it('from options, those of Sentinels included, without changing them', () => {
    const given = Object.freeze({
      sentinels: [{ host: 'a', port: 26_379 }],
      name: 'group',
      keyPrefix: 'app:',
    })
    expect(optionsOf(given)).toMatchObject(given)
  })
})

it('an instance is its own template', () => {
  const redis = new Redis({ lazyConnect: true })
  expect(templateOf(redis)).toBe(redis)
})

const badPort = /^redis is not a valid URL: its port must be a number from 1 to 65535$/
const badSocketLogin =
  /^redis is not a valid URL: user and password of a socket go into its query, as in unix:\/\/\/run\/redis.sock\?username=/
const badPath = /^redis is not a valid URL: its path must be the number of a database$/
const badPassword = /^redis is not a valid URL: special characters in a password must be percent-encoded/

it.each([
  ['unix://run/redis.sock', 'a unix: URL needs an absolute path, such as unix:///run/redis/redis.sock'],
  ['unix:redis.sock', 'a unix: URL needs an absolute path, such as unix:///run/redis/redis.sock'],
  ['unix:///run/%zz', /^redis is not a valid URL: special characters in its path/],
  ['unix://:secret@/run/r.sock', badSocketLogin],
  ['unix://user:secret@host/run/r.sock', badSocketLogin],
  ['unix://:s/cret@/run/r.sock', badSocketLogin],
  ['rediss://host:port', badPort],
  ['redis://127.0.0.1:99999', badPort],
  ['redis://user:p%40ss@127.0.0.1:99999', badPort],
  ['redis://::1:6379', /^redis is not a valid URL: an IPv6 address must stand in brackets/],
  ['redis://a b', /^redis is not a valid URL: it must have the form redis:\/\/user:password@host:port/],
  ['redis://user:p@ss/w@127.0.0.1:1', badPassword],
  ['redis://user:12/w@127.0.0.1', badPassword],
  ['redis://user:12#w@127.0.0.1', badPassword],
  ['redis://user:p#w@127.0.0.1', badPassword],
  ['redis://user:100%@127.0.0.1', badPassword],
  ['redis://user@127.0.0.1/prices', badPath],
  ['redis://127.0.0.1/prices', badPath],
  ['redis:127.0.0.1', 'redis is a string without // after redis:; write it as in redis://localhost:6379'],
  ['localhost:6379', /^redis is a string without a scheme; write it as in redis:\/\/localhost:6379$/],
  ['//localhost:6379', /^redis is a string without a scheme; write/],
  ['user:secret@localhost', /^redis is a string without a scheme; write it as in redis:\/\/localhost:6379$/],
  ['amqp://localhost', /, got a string that begins with amqp:\/\/$/],
  [{ host: undefined, db: 1 }, /ioredis options with a host, port, path or sentinels/],
])('%p is refused', (redis, message) => expect(() => templateOf(redis)).toThrow(message))

describe('options that ioredis would ignore or misread are refused', () => {
  const host = '127.0.0.1'

  it.each([
    [{ hostname: host }, "unknown option 'hostname' of redis (did you mean host?)"],
    [{ host, passwrod: 'a' }, "unknown option 'passwrod' of redis (did you mean password?)"],
    [{ host, pass: undefined }, "unknown option 'pass' of redis (did you mean password?)"],
    [{ host, user: 'a' }, "unknown option 'user' of redis (did you mean username?)"],
    [{ host, database: 1 }, "unknown option 'database' of redis (did you mean db?)"],
    [{ host, ssl: true }, "unknown option 'ssl' of redis (did you mean tls?)"],
    ['redis://a?keyPrefx=z', "unknown option 'keyPrefx' of the query of the URL (did you mean keyPrefix?)"],
    ['unix:///a/b?dbb=1', "unknown option 'dbb' of the query of the URL (did you mean db?)"],
    [{ url: `redis://${host}` }, "'url' of redis; pass the URL itself in place of the object"],
    [{ socket: { host } }, "'socket' of redis; pass { host, port } without socket around it"],
    [{ rootNodes: [] }, "'rootNodes' of redis; for a Redis Cluster pass an ioredis Cluster"],
    [{ sentinels: [{ hots: 'a' }], name: 'main' }, "'hots' of redis.sentinels[0] (did you mean host?)"],
    [
      { sentinels: [{ host, port: 'abc' }], name: 'main' },
      'redis.sentinels[0].port must be an integer from 1 to 65535',
    ],
    [{ sentinels: { host } }, 'redis.sentinels must be an array of { host, port }, got an object'],
    [{ sentinels: [] }, 'redis.sentinels must have at least one { host, port }, got an empty array'],
    [{ sentinels: [{ host }] }, 'redis.name must be the name that the Sentinels have for the master'],
    [{ host: 5 }, 'redis.host must be a string that is not empty, got a number'],
    [{ host: '' }, "redis.host must be a string that is not empty, got ''"],
    [{ path: '' }, "redis.path must be a string that is not empty, got ''"],
    [{ host, family: 5 }, 'redis.family must be one of 0, 4, 6, got 5'],
    [
      { host, tls: 'yes' },
      'redis.tls must be an object with options of tls.connect, such as {}, got a string',
    ],
    [{ host, port: null }, 'redis.port must be an integer from 1 to 65535, got null'],
    [
      { host, replyMapping: 'resp3', protocol: 2 },
      'ioredis rejects the options of redis: The "resp3" replyMapping is only',
    ],
    [{ host, Connector: () => host }, 'ioredis rejects the options of redis: '],
    ['redis://a?db=1.5', "db in the query of the URL must be an integer of at least 0, got '1.5'"],
    ['redis://a?port=abc', "port in the query of the URL must be an integer from 1 to 65535, got 'abc'"],
    ['redis://a?family=5', 'family in the query of the URL must be one of 0, 4, 6, got 5'],
    ['redis://a?family=4x', "family in the query of the URL must be one of 0, 4, 6, got '4x'"],
    [
      'rediss://a?tls=',
      "tls in the query of the URL must be an object with options of tls.connect, such as {}, got ''",
    ],
    ['unix:///a/b?db=1.5', "db in the query of the URL must be an integer of at least 0, got '1.5'"],
    ['/a/b?db=1.5', "db in the query of the URL must be an integer of at least 0, got '1.5'"],
    [
      'redis://a?host=zz',
      'host in the query of the URL would be ignored, since the URL has it before its query',
    ],
    ['redis://a:1?port=2', 'port in the query of the URL would be ignored'],
    ['redis://a/1?db=2', 'db in the query of the URL would be ignored'],
    ['redis://:p@a?password=q', 'password in the query of the URL would be ignored'],
    ['/a/b?path=c', 'path in the query of the URL would be ignored'],
    ['unix:///a/b?path=c', 'path in the query of the URL would be ignored'],
    ['redis://a?path=/b', 'the query of the URL has a host and the path of a socket'],
    ['/a/b?host=zz', 'the query of the URL has a host and the path of a socket'],
    [{ host, password: {} }, 'redis.password must be a string, got an object'],
    [{ host, path: '/run/redis.sock' }, 'redis has a host and the path of a socket'],
    ['redis://a/1/2', 'its path must be the number of a database'],
    [
      { sentinels: [`${host}:26379`], name: 'main' },
      'redis.sentinels[0] must be { host, port }, got a string',
    ],
    [{ sentinels: Array(1), name: 'main' }, 'redis.sentinels[0] must be { host, port }, got undefined'],
  ])('%j', (redis, message) => expect(() => templateOf(redis)).toThrow(message))

  it.each([
    ['redis://a?db=2&family=6&connectTimeout=500', { host: 'a', db: 2, family: 6 }],
    ['redis:///3?host=a&port=7', { host: 'a', port: 7, db: 3 }],
    ['rediss://a?username=u&password=p', { username: 'u', password: 'p' }],
    ['unix:///a/b?password=p&db=2', { path: '/a/b', password: 'p', db: 2 }],
    [{ host, tls: false, password: null, family: 4, connectTimeout: 5, natMap: {} }, { host }],
    [{ host, tls: true, retryStrategy: null, maxRetriesPerRequest: Infinity }, { host }],
  ])('but not %j', (redis, expected) => expect(optionsOf(redis)).toMatchObject(expected))

  it('but not numbers as environment variables have them', () =>
    expect(optionsOf({ host, port: '6380', db: '2' })).toMatchObject({ host, port: 6380, db: 2 }))
})
