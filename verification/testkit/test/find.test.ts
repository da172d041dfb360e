import {
  findRedis,
  NoRedisError,
  openRedis,
  redisFromPath,
  startRedis,
  type RedisSource,
} from '../src/index.js'

const none = () => Promise.resolve(null)

it('the first step that finds something wins, and later ones do not run', async () => {
  const url: RedisSource = { kind: 'url', url: 'redis://first' }
  const later = jest.fn(none)
  await expect(findRedis([none, () => Promise.resolve(url), later])).resolves.toBe(url)
  expect(later).not.toHaveBeenCalled()
})

it('a named server is used and left running, and none takes the place of one that does not reply', async () => {
  await using server = await startRedis()
  const opened = await openRedis([() => Promise.resolve({ kind: 'url', url: server.url })])
  expect(opened.url).toBe(server.url)
  await opened.stop()
  await expect(server.call('PING')).resolves.toBe('PONG')
  const silent: RedisSource = { kind: 'url', url: 'redis://127.0.0.1:1' }
  await expect(openRedis([() => Promise.resolve(silent), redisFromPath])).rejects.toThrow('ECONNREFUSED')
})

it('a source that does not start is skipped, and the error keeps the reason and says how to get a Redis', async () => {
  const broken: RedisSource = {
    kind: 'binary',
    binary: {
      path: '/nonexistent/redis-server',
      product: 'redis',
      version: { text: '7.0.0', major: 7, minor: 0 },
      env: {},
    },
  }
  const failure = openRedis([() => Promise.resolve(broken)])
  await expect(failure).rejects.toThrow(NoRedisError)
  await expect(failure).rejects.toThrow(/REDIS_URL[^]*brew install redis[^]*apt-get install/)
  const reason: unknown = expect.stringMatching(
    /^\/nonexistent\/redis-server on port \d+ ended:\n.*not found/,
  )
  await expect(failure).rejects.toMatchObject({ cause: { errors: [{ message: reason }] } })
})
