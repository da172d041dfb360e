import { MemcachedProtocol } from './memcached-protocol.js'

const requests = [
  'mg a v\r\n',
  'add a 0 30 4\r\n\r\n\r\n\r\n',
  'stats\r\n',
  'cas a 0 30 1 7\r\nx\r\n',
  'md a C7\r\n',
]
const replies = [
  'EN\r\n',
  'STORED\r\n',
  'STAT pid 1\r\nSTAT time 2\r\nEND\r\n',
  'VA 4 c7\r\nEN\r\n\r\n',
  'HD\r\n',
]
const texts = ['mg a v', 'add a 0 30 4', 'stats', 'cas a 0 30 1 7', 'md a C7']

function* chunksOf(text: string, size: number): Generator<Buffer> {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size))
}

describe("a proxy of memcached's protocol", () => {
  it.each([1, 5, 1_000])('finds commands in chunks of %i bytes, and passes on all that there is', (size) => {
    const protocol = new MemcachedProtocol()
    const found = [...chunksOf(requests.join(''), size)].flatMap((chunk) => [...protocol.push(chunk)])
    expect(found.map(({ text }) => text)).toEqual(texts)
    expect(found.map(({ bytes }) => bytes.toString())).toEqual(requests)
  })

  it.each([1, 5, 1_000].flatMap((size) => requests.map((_, lost) => [lost, size] as const)))(
    'loses reply %i, and none before it, in chunks of %i bytes',
    (lost, size) => {
      const protocol = new MemcachedProtocol()
      for (const request of requests.slice(0, lost + 1)) Array.from(protocol.push(Buffer.from(request)))
      const before = replies.slice(0, lost).join('')
      // A part of the reply before is under way already.
      const seen = before.slice(0, -3)
      protocol.seeReply(Buffer.from(seen))
      const loss = protocol.loseNext()
      let passed = seen
      for (const chunk of chunksOf(replies.join('').slice(seen.length), size)) {
        if (!loss.done) passed += loss.pass(chunk).toString()
      }
      expect(loss.done).toBe(true)
      expect(passed).toBe(before)
    },
  )
})
