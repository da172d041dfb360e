import { nodeOptionsOf, rootNodeOf } from './root-nodes.js'

it('a root node has what its URL says, over the defaults', () => {
  const defaults = { username: 'all', socket: { tls: false } }
  expect(rootNodeOf({ url: 'rediss://me:p%40ss@there:7000' }, defaults)).toMatchObject({
    address: { host: 'there', port: 7000 },
    options: { username: 'me', password: 'p@ss', socket: { tls: true } },
  })
  expect(rootNodeOf({ socket: { host: '::1' } }, defaults)).toMatchObject({
    address: { host: '::1', port: 6379 },
    options: { username: 'all' },
  })
  expect(rootNodeOf({ url: 'redis://[::1]:7000' }, {}).address).toEqual({ host: '::1', port: 7000 })
})

it('nodes that are found have the credentials and the TLS of a root node, unless the defaults have their own', () => {
  const roots = [
    rootNodeOf({ url: 'rediss://there' }, {}),
    rootNodeOf({ url: 'rediss://me:secret@there' }, {}),
  ]
  expect(nodeOptionsOf(roots, {})).toMatchObject({
    username: 'me',
    password: 'secret',
    socket: { tls: true },
  })
  const own = { password: 'own', socket: { tls: true } }
  expect(nodeOptionsOf(roots, own)).toMatchObject(own)
  expect(nodeOptionsOf(roots, own)).not.toHaveProperty('username')
})
