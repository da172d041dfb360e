import { createServer } from 'node:http'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { eventStream } from './event-stream.js'
import { responseOf } from './fetch-adapter.js'
import { replyToNode } from './node-adapter.js'

type Open = Parameters<typeof eventStream>[0]

/** A reply that is being written, with what its stream does. */
function started(open: Open) {
  const written: string[] = []
  const end = jest.fn()
  const close = eventStream(open).stream?.((text) => void written.push(text), end)
  return { written, end, close: close ?? (() => undefined) }
}

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

it('nothing is written after the end, and the reader has left', () => {
  const leave = jest.fn()
  let finish = (): void => undefined
  let send = (_: unknown): void => undefined
  const { written, end, close } = started((...given) => {
    ;[send, finish] = given
    return leave
  })
  finish()
  const count = written.length
  send('late')
  jest.advanceTimersByTime(60_000)
  close()
  expect(written).toHaveLength(count)
  expect(end).toHaveBeenCalledTimes(1)
  expect(leave).toHaveBeenCalledTimes(1)
})

it('a stream that ends while it opens is left', () => {
  const leave = jest.fn()
  started((_, finish) => {
    finish()
    return leave
  })
  expect(leave).toHaveBeenCalledTimes(1)
  expect(jest.getTimerCount()).toBe(0)
})

it('a stream that cannot be opened leaves no timer', () => {
  expect(() =>
    started(() => {
      throw new Error('not now')
    }),
  ).toThrow('not now')
  expect(jest.getTimerCount()).toBe(0)
})

it('a reader that left before the stream began is not waited for', () => {
  const leave = jest.fn()
  responseOf(
    eventStream(() => leave),
    true,
    AbortSignal.abort(),
  )
  expect(leave).toHaveBeenCalledTimes(1)
})

it('a stream ends without an error although its reader takes nothing', async () => {
  jest.useRealTimers()
  const leave = jest.fn()
  const failed = jest.fn()
  const server = createServer((_, response) => {
    response.on('error', failed)
    const reply = eventStream((send, finish) => {
      const fill = (): void => {
        // The kernel buffers some of it: only the rest counts as unread.
        if (response.writableLength < 256 * 1_024) {
          send('x'.repeat(64 * 1_024))
          setImmediate(fill)
        } else {
          finish()
          send('late')
          setImmediate(() => server.emit('finished'))
        }
      }
      fill()
      return leave
    })
    replyToNode(response, reply, true)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const reader = connect(port, '127.0.0.1')
  reader.pause()
  reader.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  try {
    await once(server, 'finished')
    expect(leave).toHaveBeenCalledTimes(1)
    expect(failed).not.toHaveBeenCalled()
  } finally {
    reader.destroy()
    server.close()
    server.closeAllConnections()
  }
})
