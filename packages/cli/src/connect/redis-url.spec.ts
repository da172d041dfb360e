import { readNodes, readRedisUrl, readSocketUrl } from './redis-url.js'

it.each([
  ['redis://cache', { host: 'cache', port: 6379 }],
  ['redis://app:p%40ss@[::1]:7000/3', { host: '::1', port: 7000, username: 'app', password: 'p@ss', db: 3 }],
  ['REDISS://:secret@cache', { host: 'cache', port: 6379, password: 'secret', tls: {} }],
])('%s is read', (url, expected) => expect(readRedisUrl(url)).toEqual(expected))

it.each([
  'http://:secret@cache',
  'redis://:sec#ret@cache:x',
  'redis://:secret@cache/abc',
  'redis://:sec%ret@cache',
  'redis://sec%ret:@cache',
  ':secret',
])('the refusal of %s does not show a password', (url) => {
  let message = ''
  try {
    readRedisUrl(url)
  } catch (error) {
    message = String(error)
  }
  expect(message).toContain('the Redis URL is not valid')
  expect(message).not.toMatch(/sec/)
})

it.each([
  ['redis://:100%@cache', '% as %25'],
  ['redis://app:p@ss/w@cache:1', '/ as %2F'],
  ['redis://app:12#w@cache', 'must be percent-encoded'],
  ['redis://cache:99999', 'its port must be a number from 1 to 65535'],
  ['redis://cache:abc', 'its port must be a number from 1 to 65535'],
  ['redis://cache/abc', 'its path must be the number of a database'],
])('%s is refused with what to write instead', (url, way) => expect(() => readRedisUrl(url)).toThrow(way))

it('the URL of a socket is read', () => {
  expect(readSocketUrl('unix:///run/my%20redis.sock')).toEqual({ path: '/run/my redis.sock' })
  expect(readSocketUrl('unix:/run/r.sock?username=app&password=p%40ss&db=2')).toEqual({
    path: '/run/r.sock',
    username: 'app',
    password: 'p@ss',
    db: 2,
  })
  for (const url of ['unix://:secret@/run/r.sock', 'unix://app:secret@host/run/r.sock'])
    expect(() => readSocketUrl(url)).toThrow('unix:///path?username=…&password=…')
  for (const url of [
    'unix:///run/100%',
    'unix:run/redis.sock',
    'unix:',
    'unix://[/run',
    'unix:/r?db=x',
    'unix:/r?a=b',
  ]) {
    expect(() => readSocketUrl(url)).toThrow('the Redis URL is not valid')
  }
})

it('nodes are a list of addresses', () => {
  expect(readNodes('--cluster', 'a:7000, b,[::1]:7002', 6379)).toEqual([
    { host: 'a', port: 7000 },
    { host: 'b', port: 6379 },
    { host: '::1', port: 7002 },
  ])
  for (const wrong of ['redis://a', 'a:65536', 'a,,b']) {
    expect(() => readNodes('--cluster', wrong, 6379)).toThrow('--cluster must be a list such as')
  }
})
