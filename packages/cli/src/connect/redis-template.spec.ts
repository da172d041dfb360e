import { Redis } from 'ioredis'
import { redisTemplate } from './redis-template.js'

it('TLS of the URL applies to the master and to the Sentinels', () => {
  const template = redisTemplate({ url: 'rediss://:secret@cache', sentinel: 'main', timeout: 1_000 })
  expect(template).toBeInstanceOf(Redis)
  expect(template.options).toMatchObject({ tls: {}, enableTLSForSentinelMode: true, sentinelTLS: {} })
})

it('without TLS in the URL there is none', () => {
  const { options } = redisTemplate({ url: 'redis://cache', sentinel: 'main', timeout: 1_000 })
  expect(options).toMatchObject({ enableTLSForSentinelMode: false })
})

it.each([
  [{ cluster: 'a:1', sentinel: 'main' }, '--cluster and --sentinel exclude each other'],
  [{ url: 'unix:///run/redis.sock', cluster: 'a:1' }, 'a unix: URL and --cluster exclude each other'],
])('%j is refused: it is unclear which store is meant', (options, message) =>
  expect(() => redisTemplate({ ...options, timeout: 1_000 })).toThrow(message),
)
