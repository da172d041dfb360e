import { Redis } from 'ioredis'
import { authenticate } from './connections.js'

/** One of a release that opens its connections in another way. */
function unlikeIoredis(): Redis {
  const connection = new Redis({ lazyConnect: true })
  Reflect.deleteProperty(connection, 'connector')
  return connection
}

it('a connection that cannot ask for credentials stays as it is', () => {
  const connection = unlikeIoredis()
  expect(authenticate(connection, { current: () => ({ password: 'secret' }) })).toBe(connection)
  expect(Object.hasOwn(connection, 'duplicate')).toBe(false)
})

it('a provider is refused for it', () => {
  const ask = () => Promise.resolve({ password: 'secret' })
  expect(() => authenticate(unlikeIoredis(), { ask })).toThrow(/credentials need ioredis 5 or 6/)
})
