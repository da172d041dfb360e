import { join } from 'node:path'
import { forkWorker, processExists, until, type Worker } from '../src/index.js'

const echo = join(__dirname, 'fixtures/echo-worker.mjs')

let worker: Worker

beforeEach(async () => {
  worker = await forkWorker(echo, { args: ['one', 'two'], env: { SETTING: 'on' } })
  await worker.waitFor((message) => message.type === 'ready')
})
afterEach(() => worker.kill())

it('gets its arguments and environment, and only the Node flags that it was given', async () => {
  const ready = { type: 'ready', args: ['one', 'two'], setting: 'on' }
  expect(worker.messages).toEqual([{ ...ready, nodeArgs: [] }])
  const nodeArgs = ['--no-memory-reducer']
  await using flagged = await forkWorker(echo, { nodeArgs })
  expect(await flagged.waitFor('ready')).toMatchObject({ nodeArgs })
})

it('messages go both ways, and each is returned once', async () => {
  await worker.send({ type: 'say', text: 'a' })
  await expect(worker.waitFor('said')).resolves.toMatchObject({ text: 'a' })
  await worker.send({ type: 'say', text: 'b' })
  await worker.send({ type: 'say', text: 'c' })
  await until(() => worker.messages.length === 4)
  await expect(worker.waitFor('said')).resolves.toMatchObject({ text: 'b' })
  await expect(worker.waitFor('said')).resolves.toMatchObject({ text: 'c' })
})

it('a wait that times out names the worker and its last messages', async () => {
  await expect(worker.waitFor('good news', 50)).rejects.toThrow(/'good news' within 50 ms.*"ready"/)
})

it('its last messages arrive, and waiting for more fails at once', async () => {
  await worker.send({ type: 'say', last: true })
  await expect(worker.waitFor('more')).rejects.toThrow(/ended with 3.*last words/)
  await expect(worker.exited).resolves.toEqual({ code: 3, signal: null })
  await expect(worker.waitFor('last words')).resolves.toBeDefined()
  await expect(worker.waitFor('more')).rejects.toThrow('ended with 3')
  await expect(worker.send({ type: 'say' })).rejects.toThrow()
})

it('a frozen worker does nothing, and continues when it is thawed', async () => {
  await worker.freeze()
  await worker.send({ type: 'say', text: 'a' })
  await expect(worker.waitFor('said', 100)).rejects.toThrow('within 100 ms')
  worker.thaw()
  await worker.waitFor('said')
})

it('freeze resolves when the worker is killed before it has stopped', async () => {
  await expect(Promise.all([worker.freeze(), worker.kill()])).resolves.toBeDefined()
})

it('kill ends it, also when it is frozen', async () => {
  await worker.freeze()
  await expect(worker.kill()).resolves.toEqual({ code: null, signal: 'SIGKILL' })
  await expect(worker.kill()).resolves.toEqual({ code: null, signal: 'SIGKILL' })
  expect(() => worker.thaw()).toThrow('it has ended')
  await expect(processExists(worker.pid)).resolves.toBe(false)
})
