import { readServersUrl } from './servers-url.js'

it.each([
  ['zk://a', { hosts: ['a'], path: '', user: undefined, hasTls: false }],
  ['zk://a:2181,b:2182/app', { hosts: ['a:2181', 'b:2182'], path: 'app', user: undefined, hasTls: false }],
  [
    'ZKS://me:p%40ss@[::1]:2181/a%20b/c',
    { hosts: ['[::1]:2181'], path: 'a b/c', user: { name: 'me', password: 'p@ss' }, hasTls: true },
  ],
])('%s is read', (url, expected) => expect(readServersUrl('ZooKeeper', 'zk', url)).toEqual(expected))

it.each([
  'zk://',
  'zk:///app',
  'zk://a,',
  'zk://a:99999',
  'zk://me:sec@ret@a',
  'zk://me:sec%ret@a',
  'zk://me:sec/ret@a',
])('%s is refused, without its password, with what to write instead', (url) => {
  const read = (): unknown => readServersUrl('ZooKeeper', 'zk', url)
  expect(read).toThrow(
    /^the URL of ZooKeeper is not valid: write zk:\/\/user:password@host:port,host:port\/path/,
  )
  expect(read).not.toThrow(/sec/)
})
