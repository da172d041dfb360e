import type * as Http2 from 'node:http2'
import { createServer, type ClientHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { until } from '@holdfast/testkit'
import { Connection } from './connection.js'

it('a session that is destroyed and not closed yet is not pinged', async () => {
  const server = createServer()
  // It never replies.
  server.on('stream', (stream) => stream.on('error', () => undefined))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connect = jest.spyOn(jest.requireActual<typeof Http2>('node:http2'), 'connect')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const limits = { greetingMs: 10_000, silenceMs: 300 }
  const connection = new Connection({ origin, tls: undefined }, limits, {
    opened: () => undefined,
    closed: () => undefined,
  })
  try {
    await until(() => connection.isOpen)
    const session = connect.mock.results[0]?.value as ClientHttp2Session
    const call = connection.call('KV/Range', Buffer.alloc(0), 10_000, {})
    call.catch(() => undefined)
    Object.defineProperty(session, 'destroyed', { get: () => true, configurable: true })
    const ping = jest.spyOn(session, 'ping')
    // It pings after half of that time.
    const pingedAt = performance.now() + limits.silenceMs / 2
    await until(() => performance.now() > pingedAt + 30)
    expect(ping).not.toHaveBeenCalled()
    Reflect.deleteProperty(session, 'destroyed')
  } finally {
    jest.restoreAllMocks()
    connection.close(new Error('over'))
    server.close()
  }
})
