import { access } from 'node:fs/promises'
import { join } from 'node:path'
import {
  closeSharedRedis,
  forkWorker,
  openSharedRedis,
  processExists,
  sharedRedisUrl,
  startRedis,
  until,
  withRedis,
} from '../src/index.js'

it('a server answers as soon as it is started, and allows the debug command', async () => {
  await using server = await startRedis()
  await expect(server.call('DEBUG', 'SLEEP', 0)).resolves.toBe('OK')
  await expect(processExists(Number(server.pid))).resolves.toBe(true)
})

it('arguments reach the server and take precedence over ours', async () => {
  await using server = await startRedis({ args: ['--maxmemory-policy', 'allkeys-lru', '--save', '60 1000'] })
  await expect(server.call('CONFIG', 'GET', 'maxmemory-policy')).resolves.toEqual([
    'maxmemory-policy',
    'allkeys-lru',
  ])
})

it('a failed start reports the cause', async () => {
  await expect(startRedis({ args: ['--no-such-option', '1'] })).rejects.toThrow('no-such-option')
})

it('a server whose port another one has does not start: what replies there is not taken for it', async () => {
  await using server = await startRedis()
  await expect(startRedis({ port: server.port })).rejects.toThrow('Address already in use')
})

it('a frozen server does not reply, and continues when it is thawed', async () => {
  await using server = await startRedis()
  await withRedis(server.url, async (redis) => {
    await server.freeze()
    let answered = false
    const reply = redis.ping().then(() => (answered = true))
    await expect(until(() => answered, { timeoutMs: 100 })).rejects.toThrow('waited')
    await server.thaw()
    await reply
  })
})

it('a killed server is down until it is restarted on its port, as another process and empty', async () => {
  await using server = await startRedis()
  const { port } = server
  const runId = await server.runId()
  await server.call('SET', 'k', 'v')
  await server.kill()
  expect(server.pid).toBeNull()
  await expect(server.call('PING')).rejects.toThrow('ECONNREFUSED')
  await server.restart()
  expect(server.port).toBe(port)
  await expect(server.runId()).resolves.not.toBe(runId)
  await expect(server.call('GET', 'k')).resolves.toBeNull()
})

it('a restart can keep the data, and the next one can drop it', async () => {
  await using server = await startRedis()
  await server.call('SET', 'k', 'v')
  await server.restart({ empty: false })
  await expect(server.call('GET', 'k')).resolves.toBe('v')
  await server.restart()
  await expect(server.call('GET', 'k')).resolves.toBeNull()
})

it('stop ends the process, even a frozen one, and removes its files', async () => {
  const server = await startRedis()
  const { pid } = server
  const folder = await withRedis(server.url, async (redis) =>
    String((await redis.config('GET', 'dir')).at(1)),
  )
  await access(join(folder, 'server.log'))
  await server.freeze()
  await server.stop()
  await server.stop()
  await expect(processExists(Number(pid))).resolves.toBe(false)
  await expect(access(folder)).rejects.toThrow('ENOENT')
  await expect(server.restart()).rejects.toThrow('already stopped')
})

it('nothing outlives a process that is killed, not even what is frozen', async () => {
  await using parent = await forkWorker(join(__dirname, 'fixtures/parent-worker.mjs'))
  const { serverPid, childPid } = await parent.waitFor('started')
  const running = () => Promise.all([processExists(Number(serverPid)), processExists(Number(childPid))])
  await expect(running()).resolves.toEqual([true, true])
  await parent.kill('SIGKILL')
  await until(async () => !(await running()).includes(true), { what: 'both to end' })
})

describe('the shared server', () => {
  const variables = ['HOLDFAST_TEST_REDIS_URL', 'REDIS_URL']
  const before = variables.map((name) => process.env[name])
  beforeEach(() => {
    for (const name of variables) Reflect.deleteProperty(process.env, name)
  })
  afterEach(async () => {
    await closeSharedRedis()
    variables.forEach((name, n) => {
      const value = before[n]
      if (value === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = value
    })
  })

  it('runs between set-up and tear-down', async () => {
    expect(() => sharedRedisUrl()).toThrow('globalSetup')
    await openSharedRedis()
    const url = sharedRedisUrl()
    await expect(withRedis(url, (redis) => redis.ping())).resolves.toBe('PONG')
    await closeSharedRedis()
    expect(() => sharedRedisUrl()).toThrow('globalSetup')
    await expect(withRedis(url, (redis) => redis.ping())).rejects.toThrow()
  })

  it('is the server at REDIS_URL, if that is set', async () => {
    await using server = await startRedis()
    process.env['REDIS_URL'] = server.url
    expect(sharedRedisUrl()).toBe(server.url)
    await openSharedRedis()
    expect(sharedRedisUrl()).toBe(server.url)
    await closeSharedRedis()
    await expect(server.call('PING')).resolves.toBe('PONG')
  })
})
