import { InvalidArgumentError } from '@holdfast/core'
import { zookeeper } from './index.js'
import { resolveOptions } from './options.js'

const connect = '127.0.0.1:2181'
const form = "connect must name the servers as 'host:port,host:port/path', got "

it.each([
  [{}, `${form}undefined`],
  [{ connect: '' }, `${form}''`],
  [{ connect: 'a:0' }, `${form}'a:0'`],
  [{ connect: 'a:99999' }, form],
  [{ connect: 'a:2181,' }, form],
  [{ connect: 'a:2181/x//y' }, form],
  [{ connect: 'a:2181/../x' }, form],
  [{ connect: 'user:pass@a:2181' }, form],
  [{ connect: 'redis://localhost' }, "connect is not a URL: write 'host:port,host:port/path'"],
  [{ connect, sessionTimeoutMs: 0 }, 'sessionTimeoutMs must be an integer from 1 to 2147483647, got 0'],
  [
    { connect, sessionTimeoutMs: 11_999 },
    'sessionTimeoutMs must be at least 12000, which is six ticks (tickMs: 2000), got 11999',
  ],
  [{ connect: 'a:2181/app,b:2181/app' }, form],
  [
    { connect, auth: [{ scheme: 'digest', auth: 'app' }] },
    "must have the form 'user:password', got no colon",
  ],
  [
    { connect, acl: [{ permissions: 'rwcda', scheme: 'auth', id: '' }] },
    'acl of the scheme auth names who this client is: give auth, too',
  ],
  [{ connect, tickMs: 1.5 }, 'tickMs must be an integer from 1 to 2147483647, got 1.5'],
  [{ connect, auth: 'digest' }, 'auth must be a list of { scheme, auth }, got a string'],
  [{ connect, auth: [{ scheme: 'digest' }] }, 'auth must be a list of { scheme, auth }'],
  [{ connect, acl: [] }, 'acl must be a list of { permissions, scheme, id }'],
  [{ connect, acl: [{ permissions: 'x', scheme: 'world', id: 'anyone' }] }, 'letters rwcda'],
  [{ connect, tls: 'on' }, 'tls must be options of tls.connect, or true, got a string'],
  [{ connect, hosts: [] }, "unknown option 'hosts'; pass the servers as zookeeper({ connect }); valid"],
  ['a:2181', 'options must be an object, got a string; pass the servers as zookeeper({ connect })'],
])('refuses %j: %s', (options, message) => {
  const make = (): unknown => Reflect.apply(zookeeper, undefined, [options])
  expect(make).toThrow(InvalidArgumentError)
  expect(make).toThrow(message)
})

it('says nothing of what it was given as auth', () => {
  const make = (): unknown =>
    Reflect.apply(zookeeper, undefined, [{ connect, auth: [{ auth: 'me:secret' }] }])
  expect(make).not.toThrow('secret')
  expect(make).toThrow('auth must be')
})

it.each([
  ['a', [{ host: 'a', port: 2181 }], ''],
  [
    'a:1,b:2/app/locks/',
    [
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
    ],
    '/app/locks',
  ],
  [
    '[::1]:2182, b',
    [
      { host: '::1', port: 2182 },
      { host: 'b', port: 2181 },
    ],
    '',
  ],
])('reads %s', (given, servers, root) => {
  expect(resolveOptions({ connect: given })).toMatchObject({ servers, root })
})

it('leases are as long as six ticks at least, and a hold is given up a tick before its session ends', () => {
  expect(zookeeper({ connect }).traits.lease).toMatchObject({ shortestMs: 12_000, marginMs: 2_000 })
  expect(zookeeper({ connect, tickMs: 100 }).traits.lease).toMatchObject({ shortestMs: 600, marginMs: 100 })
})
