import { createServer } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  describeSource,
  dockerAnswers,
  findRedis,
  NoRedisError,
  openRedis,
  probeBinary,
  redisFromEnvironment,
  redisFromPath,
  startRedis,
  type RedisSource,
} from '../src/index.js'

const none = () => Promise.resolve(null)

function withEnvironment<T>(changes: Record<string, string>, use: () => Promise<T>): Promise<T> {
  const before = { ...process.env }
  Object.assign(process.env, changes)
  return use().finally(() => {
    for (const name of Object.keys(changes)) {
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = before[name]
    }
  })
}

describe('steps', () => {
  it('REDIS_URL names the server', async () => {
    await withEnvironment({ REDIS_URL: 'redis://example:1' }, async () => {
      await expect(redisFromEnvironment()).resolves.toEqual({ kind: 'url', url: 'redis://example:1' })
    })
    await withEnvironment({ REDIS_URL: '' }, () => expect(redisFromEnvironment()).resolves.toBeNull())
  })

  it('the first step that finds something wins, and later ones do not run', async () => {
    const url: RedisSource = { kind: 'url', url: 'redis://first' }
    const later = jest.fn(none)
    await expect(findRedis([none, () => Promise.resolve(url), later])).resolves.toBe(url)
    expect(later).not.toHaveBeenCalled()
  })

  it('the error explains how to get a Redis when no step finds one', async () => {
    await expect(findRedis([none])).rejects.toThrow(NoRedisError)
    await expect(findRedis([none])).rejects.toThrow(/REDIS_URL[^]*brew install redis[^]*apt-get install/)
  })

  it('a PATH without a server finds nothing', async () => {
    await withEnvironment({ PATH: '/nonexistent' }, () => expect(redisFromPath()).resolves.toBeNull())
  })

  it('a program that is not Redis is skipped', async () => {
    await expect(probeBinary(process.execPath)).resolves.toBeNull()
  })
})

describe('the Docker probe', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testkit-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  async function probe(server: Server): Promise<boolean> {
    const path = join(folder, 'docker.sock')
    server.listen(path)
    await once(server, 'listening')
    try {
      return await dockerAnswers(`unix://${path}`, 1_500)
    } finally {
      server.close()
    }
  }

  it('accepts a daemon that replies to its ping', async () => {
    const asked: unknown[] = []
    const daemon = createServer((request, response) => {
      asked.push(request.url)
      response.end('OK')
    })
    await expect(probe(daemon)).resolves.toBe(true)
    expect(asked).toEqual(['/_ping'])
  })

  it('skips a daemon that fails', async () => {
    await expect(
      probe(
        createServer((_, response) => {
          response.statusCode = 500
          response.end()
        }),
      ),
    ).resolves.toBe(false)
  })

  it('skips an unresponsive socket', () => expect(probe(createTcpServer())).resolves.toBe(false))

  it('skips a missing socket, and unsupported addresses', async () => {
    await expect(dockerAnswers(`unix://${folder}/none.sock`)).resolves.toBe(false)
    await expect(dockerAnswers('ssh://host')).resolves.toBe(false)
    await expect(dockerAnswers('nonsense')).resolves.toBe(false)
  })
})

describe('openRedis', () => {
  it('uses the named server, and leaves it running', async () => {
    await using server = await startRedis()
    const opened = await openRedis([() => Promise.resolve({ kind: 'url', url: server.url })])
    expect(opened.url).toBe(server.url)
    await opened.stop()
    await expect(server.call('PING')).resolves.toBe('PONG')
  })

  it('does not replace a named server that does not reply', async () => {
    const named: RedisSource = { kind: 'url', url: 'redis://127.0.0.1:1' }
    await expect(openRedis([() => Promise.resolve(named), redisFromPath])).rejects.toThrow('ECONNREFUSED')
  })

  it('skips a source that does not start, and keeps the reason', async () => {
    const broken: RedisSource = {
      kind: 'binary',
      binary: {
        path: '/nonexistent/redis-server',
        product: 'redis',
        version: { text: '7.0.0', major: 7, minor: 0 },
        env: {},
      },
    }
    expect(describeSource(broken)).toBe('/nonexistent/redis-server 7.0.0')
    const failure = openRedis([() => Promise.resolve(broken)])
    await expect(failure).rejects.toThrow(NoRedisError)
    const reason: unknown = expect.stringMatching(
      /^\/nonexistent\/redis-server on port \d+ ended:\n.*not found/,
    )
    await expect(failure).rejects.toMatchObject({ cause: { errors: [{ message: reason }] } })
  })
})
