import { until, type Worker } from '@holdfast/testkit'
import { connect } from 'node:net'
import { useApps } from './use-apps.js'

const apps = useApps()

async function start(env: Readonly<Record<string, string>> = {}): Promise<{ app: Worker; port: number }> {
  const app = await apps.start('graceful-shutdown', env)
  const ready = app.messages.find(({ type }) => type === 'ready')
  return { app, port: Number(ready?.['port']) }
}

async function print(port: number): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/`)
  return { status: response.status, text: await response.text() }
}

const refusesConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(false)
    }).once('error', () => resolve(true))
  })

/** Two servers: one prints and so holds the lock, the other has a request that waits for it. */
async function startHolderAndWaiter(env: Readonly<Record<string, string>> = {}) {
  const [holder, waiter] = [await start(env), await start()]
  const first = print(holder.port)
  await holder.app.waitFor('began')
  const second = print(waiter.port)
  await waiter.app.waitFor('waiting')
  return { holder, waiter, first, second }
}

// A lease lasts for 30 s here. What takes over within a test was handed the lock.

it('on SIGTERM the holder finishes and responds, and a second process takes over at once', async () => {
  const { holder, waiter, first, second } = await startHolderAndWaiter()
  const exited = holder.app.kill('SIGTERM')
  await until(() => refusesConnections(holder.port), { what: 'the server to stop listening' })
  expect(waiter.app.messages.map(({ type }) => type)).not.toContain('began')
  await holder.app.send({ type: 'finish' })
  expect(await first).toEqual({ status: 200, text: 'printed' })
  expect(await exited).toEqual({ code: 0, signal: null })

  await waiter.app.waitFor('began')
  await waiter.app.send({ type: 'finish' })
  expect(await second).toEqual({ status: 200, text: 'printed' })
})

it('a holder that is still busy after drainMs is aborted, and its lock is handed on', async () => {
  const { holder, waiter, first, second } = await startHolderAndWaiter({ DRAIN_MS: '200' })
  const exited = holder.app.kill('SIGTERM')
  expect(await first).toEqual({ status: 503, text: 'LOCK_LOST' })
  expect(await exited).toEqual({ code: 0, signal: null })
  await waiter.app.waitFor('began')
  await waiter.app.send({ type: 'finish' })
  expect((await second).status).toBe(200)
})

it('a process whose job ignores its signal exits all the same', async () => {
  const { holder, waiter, first, second } = await startHolderAndWaiter({
    DRAIN_MS: '200',
    IGNORE_SIGNAL: 'yes',
  })
  const connectionClosed = expect(first).rejects.toThrow('fetch failed')
  second.catch(() => undefined)
  expect(await holder.app.kill('SIGTERM')).toEqual({ code: 0, signal: null })
  await waiter.app.waitFor('began')
  await connectionClosed
})

it('a request that waits in the closing process is rejected at once', async () => {
  const { holder, waiter, first, second } = await startHolderAndWaiter()
  const exited = waiter.app.kill('SIGTERM')
  expect(await second).toEqual({ status: 503, text: 'CLOSED' })
  expect(await exited).toEqual({ code: 0, signal: null })
  await holder.app.send({ type: 'finish' })
  expect((await first).status).toBe(200)
})
