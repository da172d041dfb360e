import { InvalidArgumentError } from '@holdfast/core/engine'
import { resolveOptions, type MemcachedOptions } from './options.js'

const url = 'memcached://127.0.0.1:11211'
const refuse = (given: unknown, told: string | RegExp): void => {
  const resolve = (): unknown => resolveOptions(given as MemcachedOptions)
  expect(resolve).toThrow(InvalidArgumentError)
  expect(resolve).toThrow(told)
}

describe('options of memcached', () => {
  it.each([
    ['memcached://a', { name: 'a:11211', target: { host: 'a', port: 11_211 } }],
    ['memcached://a:1/', { name: 'a:1', target: { host: 'a', port: 1 } }],
    ['MEMCACHED://[::1]:7', { name: '[::1]:7', target: { host: '::1', port: 7 } }],
    [
      'memcached:///run/mem%20cached.sock',
      { name: '/run/mem cached.sock', target: { path: '/run/mem cached.sock' } },
    ],
  ])('read %s', (given, endpoint) => {
    expect(resolveOptions({ url: given }).endpoint).toEqual({ ...endpoint, tls: undefined })
  })

  it('have defaults', () => {
    expect(resolveOptions({ url })).toMatchObject({
      prefix: 'holdfast:',
      user: undefined,
      pollMs: [20, 40],
      queue: true,
      graceMs: undefined,
      mayEvict: false,
    })
    expect(resolveOptions({ url, tls: true }).endpoint.tls).toEqual({})
  })

  it.each([
    [undefined, /options must be an object, got undefined; pass the server as memcached\(\{ url/],
    [url, /options must be an object, got a string.*; pass the server as/],
    [{}, /url must be a URL that begins with memcached:\/\/, got undefined/],
    [{ url: 11_211 }, /url must be a string such as 'memcached:\/\/127.0.0.1:11211', got a number/],
    [{ url: 'redis://a' }, /begins with memcached:\/\/, got a string that begins with redis/],
    [{ url: 'a:11211' }, /begins with memcached:\/\/, got 'a:11211'/],
    [{ url: 'memcached://a:b' }, /url must be a valid URL: its port must be a number/],
    [{ url: 'memcached://a:1/locks' }, /with nothing after the port/],
    [{ url: 'memcached://a?x=1' }, /with nothing after the port/],
    [{ url: 'memcached:///' }, /must name a host, or the path of a socket/],
    [{ url: 'memcached://a:1,b:2' }, /url must name one server: .*HoldfastQuorum over three/],
    [{ url: [url, url] }, /a list as url is not possible: .*HoldfastQuorum over three/],
    [{ servers: ['a:1', 'b:2'] }, /servers is not possible: .*HoldfastQuorum over three/],
    [{ url, hosts: ['a:1'] }, /hosts is not possible: .*HoldfastQuorum/],
    [{ url, ttl: 5 }, /unknown option 'ttl'/],
    [{ url, prefix: '' }, /prefix must be a string of 1 to 40 printable characters without a space, got ''/],
    [{ url, prefix: 'my locks' }, /without a space, got 'my locks'/],
    [{ url, prefix: 'x'.repeat(41) }, /1 to 40/],
    [{ url, user: 'app' }, /user needs password, too/],
    [{ url, password: 'x' }, /password needs user, too/],
    [{ url, user: 'a b', password: 'x' }, /user must be a string without a space or a colon, got a string/],
    [{ url, user: 'a', password: 5 }, /password must be a string without a space, got a number/],
    [{ url, tls: 'ca' }, /tls must be an object with options of tls.connect, or true, got 'ca'/],
    [{ url, pollMs: 20 }, /pollMs must be two integers of at least 1.*, got 20/],
    [{ url, pollMs: [40, 20] }, /pollMs must be two integers.*, got \[40,20\]/],
    [{ url, pollMs: [0, 20] }, /of at least 1/],
    [{ url, queue: 'no' }, /queue must be true or false, got 'no'/],
    [
      { url, graceMs: 1_999 },
      /graceMs must be an integer from 2000, as clients look every second.*, got 1999/,
    ],
    [{ url, evictable: true }, /evictable must be 'accepted', or left out, got true/],
  ])('refuse %j', (given, told) => refuse(given, told))

  it('never show a password', () => {
    refuse({ url: 'memcached://app:secret@a' }, 'without a user; pass memcached({ user, password })')
    expect(() => resolveOptions({ url: 'memcached://app:secret@a' })).not.toThrow(/secret/)
    expect(() => resolveOptions({ url, user: 'a', password: 's\necret' })).not.toThrow(/ecret/)
  })
})
