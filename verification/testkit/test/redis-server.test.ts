import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { forkWorker, processExists, startRedis, until, withRedis } from '../src/index.js'

it('a server whose port another one has does not start: what replies there is not taken for it', async () => {
  await using server = await startRedis()
  await expect(startRedis({ port: server.port })).rejects.toThrow('Address already in use')
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
  const { pids } = await parent.waitFor('started')
  const running = () => Promise.all((pids as number[]).map(processExists))
  await expect(running()).resolves.toEqual([true, true])
  await parent.kill('SIGKILL')
  await until(async () => !(await running()).includes(true), { what: 'both to end' })
})
