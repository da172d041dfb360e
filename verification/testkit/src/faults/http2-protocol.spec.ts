import { Http2Protocol } from './http2-protocol.js'

const frame = (type: number, flags: number, stream: number, text: string): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(text.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, Buffer.from(text)])
}
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const request = Buffer.concat([
  preface,
  frame(1, 4, 1, 'head'),
  frame(0, 1, 1, 'first'),
  frame(0, 0, 3, 'watch'),
  frame(0, 1, 5, 'second'),
])

const pushIn = (protocol: Http2Protocol, bytes: Buffer, size: number): { bytes: Buffer; text: string }[] => {
  const found = []
  for (let at = 0; at < bytes.length; at += size) found.push(...protocol.push(bytes.subarray(at, at + size)))
  return found
}

describe("a proxy of etcd's protocol", () => {
  it.each([1, 5, 1_000])(
    'finds unary calls in chunks of %i bytes, and passes on all that there is',
    (size) => {
      const found = pushIn(new Http2Protocol(), request, size)
      expect(found.map(({ text }) => text).filter(Boolean)).toEqual(['first', 'second'])
      expect(Buffer.concat(found.map(({ bytes }) => bytes))).toEqual(request)
    },
  )

  it.each([1, 4, 1_000])('loses one reply, and none before it, in chunks of %i bytes', (size) => {
    const protocol = new Http2Protocol()
    pushIn(protocol, request, 1_000)
    protocol.seeReply(frame(4, 0, 0, 'settings').subarray(0, 12))
    const loss = protocol.loseNext()
    const rest = [
      frame(4, 0, 0, 'settings').subarray(12),
      frame(0, 0, 3, 'an event'),
      frame(0, 0, 1, 'reply 1'),
    ]
    const bytes = Buffer.concat([...rest, frame(1, 4, 5, 'head'), frame(0, 1, 5, 'reply 2')])
    const passed: Buffer[] = []
    for (let at = 0; at < bytes.length && !loss.done; at += size)
      passed.push(loss.pass(bytes.subarray(at, at + size)))
    expect(loss.done).toBe(true)
    // The head of the frame tells whose it is.
    const beyond = Buffer.concat(passed).length - Buffer.concat(rest).length
    expect(beyond).toBeGreaterThanOrEqual(0)
    expect(beyond).toBeLessThan(9)
  })
})
