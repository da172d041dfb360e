import { readdirSync } from 'node:fs'
import { Holdfast } from '@holdfast/core'
import {
  isFullMatrix,
  scratchFolder,
  startRedis,
  until,
  type RedisServer,
  type ScratchFolder,
} from '@holdfast/testkit'
import { compileApp } from './support/nest-app.js'
import { Service } from './support/service.js'

const warning = /WARN.*Nothing in this process listens to SIGTERM.*app\.enableShutdownHooks\(\)/

describe.each(isFullMatrix ? ([11, 12] as const) : ([12] as const))('services on Nest %i', (nest) => {
  let out: string
  let redis: RedisServer
  let folder: ScratchFolder
  let running: Service[]

  beforeAll(async () => {
    out = await compileApp('services', { nest, system: 'esm' })
  })

  beforeEach(async () => {
    running = []
    redis = await startRedis()
    folder = await scratchFolder()
  })

  afterEach(async () => {
    await Promise.all(running.map((service) => service[Symbol.asyncDispose]()))
    await redis.stop()
    await folder.remove()
  })

  async function start(...options: string[]): Promise<Service> {
    const service = await Service.start(out, redis.url, folder.path, options)
    running.push(service)
    return service
  }

  /** How often each process has left this word. */
  const noted = (what: string): number[] => {
    const pids = readdirSync(folder.path).flatMap((file) =>
      file.startsWith(`${what}-`) ? [file.split('-')[1]] : [],
    )
    return [...new Set(pids)].map((pid) => pids.filter((each) => each === pid).length)
  }

  const isFree = async (name: string): Promise<boolean> => {
    await using holdfast = new Holdfast({ redis: redis.url })
    return !(await holdfast.getLock(name).isLocked())
  }

  it('an @Interval under skip runs one at a time in two processes', async () => {
    await Promise.all([start('ticks'), start('ticks')])
    await until(() => noted('stay').length === 2 && Math.min(...noted('stay')) >= 10, {
      what: () => `ten ticks in each process: ${noted('stay').join(', ')}`,
    })
    expect(noted('collision')).toEqual([])
  })

  it('without the lock the same intervals collide', async () => {
    await Promise.all([start('unlocked'), start('unlocked')])
    await until(() => noted('collision').length > 0, { what: 'a collision' })
  })

  it('with its store away a service responds with 503, to routes and health checks, and recovers', async () => {
    const service = await start()
    const statuses = async (): Promise<number[]> => [
      await service.status('/orders/7'),
      await service.status('/health'),
    ]
    expect(await statuses()).toEqual([200, 200])
    await redis.kill()
    expect(await statuses()).toEqual([503, 503])
    await redis.restart()
    await until(async () => (await statuses()).every((status) => status === 200), { what: 'recovery' })
  })

  it('without shutdown hooks SIGTERM leaves locks held, and the first lock warned of it, once', async () => {
    const service = await start()
    expect(service.log).not.toMatch(warning)
    expect(await service.status('/orders/7')).toBe(200)
    await until(() => warning.test(service.log), { what: 'the warning' })
    await service.status('/hold')
    await service.end('SIGTERM')
    expect(await isFree('nightly')).toBe(false)
    expect(service.log.match(/SIGTERM/g)).toHaveLength(1)
  })

  it('with shutdown hooks SIGTERM releases locks, and nothing is logged', async () => {
    const service = await start('hooks')
    await service.status('/hold')
    expect(await isFree('nightly')).toBe(false)
    await service.end('SIGTERM')
    expect(await isFree('nightly')).toBe(true)
    expect(service.log).toBe(`${service.url}\n`)
  })
})
