import { readNodes, readRedisUrl, readSocketPath } from './redis-url.js'

it.each([
  ['redis://cache', { host: 'cache', port: 6379 }],
  ['redis://app:p%40ss@[::1]:7000/3', { host: '::1', port: 7000, username: 'app', password: 'p@ss', db: 3 }],
  ['rediss://:secret@cache', { host: 'cache', port: 6379, password: 'secret', tls: {} }],
])('%s is read', (url, expected) => {
  expect(readRedisUrl(url)).toEqual(expected)
})

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

it('a literal % in a password is refused with what to write instead', () => {
  expect(() => readRedisUrl('redis://:100%@cache')).toThrow('% as %25')
})

it('the path of a socket is read', () => {
  expect(readSocketPath('unix:///run/my%20redis.sock')).toBe('/run/my redis.sock')
  for (const url of ['unix:///run/100%', 'unix:run/redis.sock', 'unix:', 'unix://[/run']) {
    expect(() => readSocketPath(url)).toThrow('the Redis URL is not valid')
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
