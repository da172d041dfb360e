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
    }).once('error', () => {
      resolve(true)
    })
  })

// A lease lasts for 30 s here. What takes over within a test was handed the lock.

it('on SIGTERM the holder finishes and responds, and a second process takes over at once', async () => {
  const [a, b] = [await start(), await start()]
  const first = print(a.port)
  await a.app.waitFor('began')
  const second = print(b.port)
  await b.app.waitFor('waiting')

  const exited = a.app.kill('SIGTERM')
  await until(() => refusesConnections(a.port), { what: 'the server to stop listening' })
  expect(b.app.messages.map(({ type }) => type)).not.toContain('began')
  await a.app.send({ type: 'finish' })
  expect(await first).toEqual({ status: 200, text: 'printed' })
  expect(await exited).toEqual({ code: 0, signal: null })

  await b.app.waitFor('began')
  await b.app.send({ type: 'finish' })
  expect(await second).toEqual({ status: 200, text: 'printed' })
})

it('a holder that is still busy after drainMs is aborted, and its lock is handed on', async () => {
  const [a, b] = [await start({ DRAIN_MS: '200' }), await start()]
  const first = print(a.port)
  await a.app.waitFor('began')
  const second = print(b.port)
  await b.app.waitFor('waiting')
  const exited = a.app.kill('SIGTERM')
  expect(await first).toEqual({ status: 503, text: 'LOCK_LOST' })
  expect(await exited).toEqual({ code: 0, signal: null })
  await b.app.waitFor('began')
  await b.app.send({ type: 'finish' })
  expect((await second).status).toBe(200)
})

it('a process whose job ignores its signal exits all the same', async () => {
  const [a, b] = [await start({ DRAIN_MS: '200', DEAF: 'yes' }), await start()]
  const first = print(a.port).catch(() => 'connection closed')
  await a.app.waitFor('began')
  void print(b.port).catch(() => undefined)
  await b.app.waitFor('waiting')
  expect(await a.app.kill('SIGTERM')).toEqual({ code: 0, signal: null })
  await b.app.waitFor('began')
  expect(await first).toBe('connection closed')
})

it('a request that waits in the closing process is turned away at once', async () => {
  const [a, b] = [await start(), await start()]
  const first = print(a.port)
  await a.app.waitFor('began')
  const second = print(b.port)
  await b.app.waitFor('waiting')
  const exited = b.app.kill('SIGTERM')
  expect(await second).toEqual({ status: 503, text: 'CLOSED' })
  expect(await exited).toEqual({ code: 0, signal: null })
  await a.app.send({ type: 'finish' })
  expect((await first).status).toBe(200)
})
