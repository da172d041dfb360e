import { Writable } from 'node:stream'
import { WriteCoalescer } from './script-connection.js'

/** How many commands each write to the socket has, when so many are sent in one turn while so many are in flight. */
async function writesOf(commands: number, inFlight: number): Promise<number[]> {
  const writes: number[] = []
  const stream = new Writable({
    write(_chunk, _encoding, done) {
      writes.push(1)
      done()
    },
    writev(chunks, done) {
      writes.push(chunks.length)
      done()
    },
  })
  const coalescer = new WriteCoalescer(() => ({ stream }))
  for (let sent = 0; sent < commands; sent++) {
    coalescer.beforeWrite('key', inFlight + sent)
    stream.write('command')
  }
  await new Promise(setImmediate)
  expect(stream.writableCorked).toBe(0)
  return writes
}

it('each of a few commands leaves in a write of its own', async () => {
  expect(await writesOf(3, 2)).toEqual([1, 1, 1])
})

it('many commands leave in fewer writes, of which the last is at the end of the turn', async () => {
  expect(await writesOf(6, 5)).toEqual([3, 3])
})

it('the more are in flight the more are in one write, but never more than 16', async () => {
  expect(await writesOf(40, 12)).toEqual([6, 9, 14, 11])
  expect(await writesOf(40, 1_000)).toEqual([16, 16, 8])
})

it('a connection without a socket holds nothing back', () =>
  expect(() => {
    new WriteCoalescer(() => undefined).beforeWrite('key', 100)
    new WriteCoalescer(() => ({ stream: null })).beforeWrite('key', 100)
  }).not.toThrow())
