import { InvalidArgumentError } from '@holdfast/core/engine'
import { resolveOptions, type EtcdOptions } from './options.js'

const hosts = ['http://127.0.0.1:2379']
const refuse = (given: unknown, told: string | RegExp): void => {
  const resolve = (): unknown => resolveOptions(given as EtcdOptions)
  expect(resolve).toThrow(InvalidArgumentError)
  expect(resolve).toThrow(told)
}

describe('options of etcd', () => {
  it('take hosts without a scheme, as http or, with tls, as https', () => {
    expect(resolveOptions({ hosts: ['a:2379'] }).endpoints).toEqual([
      { origin: 'http://a:2379', tls: undefined },
    ])
    const tls = { ca: 'x' }
    expect(resolveOptions({ hosts: ['a:2379'], tls }).endpoints).toEqual([{ origin: 'https://a:2379', tls }])
  })

  it('have defaults', () => {
    expect(resolveOptions({ hosts })).toMatchObject({
      prefix: 'holdfast/',
      sessionTimeoutMs: undefined,
      user: undefined,
    })
  })

  it.each([
    [undefined, /options must be an object, got undefined; pass the servers as etcd/],
    ['http://a:2379', /options must be an object, got a string.*; pass the servers/],
    [{}, /hosts must be a list of at least one URL, got undefined/],
    [{ hosts: [] }, /hosts must be a list of at least one URL, got \[\]/],
    [{ endpoints: hosts }, /unknown option 'endpoints'.*hosts/],
    [{ hosts: [2379] }, /each of hosts must be a URL such as 'http:\/\/127.0.0.1:2379', got 2379/],
    [{ hosts: Array(1) }, /each of hosts must be a URL such as .*, got undefined/],
    [{ hosts: ['redis://a'] }, /each of hosts must be a URL that begins with http/],
    [{ hosts: ['http://a:b'] }, /each of hosts must be a valid URL: its port must be a number/],
    [{ hosts: ['http://a:2379/v3'] }, /with nothing after the port/],
    [{ hosts, tls: {} }, /tls has no meaning for http:\/\/127.0.0.1:2379: write https/],
    [{ hosts, tls: 'ca' }, /tls must be an object with options of tls.connect, got 'ca'/],
    [
      { hosts, prefix: 'locks' },
      /prefix must be a string of up to 256 characters that ends with a slash, got 'locks'/,
    ],
    [{ hosts, prefix: '' }, /ends with a slash, got ''/],
    [
      { hosts, sessionTimeoutMs: 1_999 },
      /sessionTimeoutMs must be an integer from 2000, as etcd grants no shorter session, got 1999/,
    ],
    [{ hosts, sessionTimeoutMs: '5s' }, /sessionTimeoutMs must be an integer from 2000/],
    [{ hosts, username: 'app' }, /password must be a string, got undefined/],
    [{ hosts, password: 'x' }, /username must be a string that is not empty, got undefined/],
  ])('refuse %j', (given, told) => refuse(given, told))

  it('never show a password', () => {
    refuse({ hosts: ['http://app:secret@a:2379'] }, 'without a user; pass etcd({ username, password })')
    expect(() => resolveOptions({ hosts: ['http://app:secret@a:2379'] })).not.toThrow(/secret/)
  })
})
