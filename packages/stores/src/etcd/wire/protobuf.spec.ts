import { encode, MalformedError, Message, repeated } from './protobuf.js'

describe('protocol buffers', () => {
  it('read what they wrote', () => {
    const inner = encode([1, 'ä'], [2, 300])
    const message = new Message(
      encode([1, 5_123_456_789_012], [2, -7n], [3, true], [4, 'key'], ...repeated(11, [inner, inner])),
    )
    expect(message.number(1)).toBe(5_123_456_789_012)
    expect(message.big(2)).toBe(-7n)
    expect(message.isTrue(3)).toBe(true)
    expect(message.text(4)).toBe('key')
    expect(message.messages(11).map((each) => [each.text(1), each.number(2)])).toEqual([
      ['ä', 300],
      ['ä', 300],
    ])
  })

  it('keep the largest id of a lease', () => {
    expect(new Message(encode([1, 2n ** 63n - 1n])).big(1)).toBe(2n ** 63n - 1n)
  })

  it('leave out what a missing field means, and read it back', () => {
    expect(encode([1, 0], [2, ''], [3, undefined], [4, false], [5, 0n])).toHaveLength(0)
    const empty = new Message(Buffer.alloc(0))
    expect([empty.number(1), empty.text(2), empty.isTrue(4), empty.message(6).number(1)]).toEqual([
      0,
      '',
      false,
      0,
    ])
  })

  it('skip fields of other widths', () => {
    const fixed = Buffer.concat([Buffer.from([0x0d, 1, 2, 3, 4, 0x11]), Buffer.alloc(8), encode([3, 9])])
    expect(new Message(fixed).number(3)).toBe(9)
  })

  it.each([
    ['a cut field', Buffer.from([0x0a, 5, 1])],
    ['an endless number', Buffer.alloc(12, 0xff)],
    ['an unknown wire type', Buffer.from([0x0b])],
  ])('refuse %s', (_, bytes) => {
    expect(() => new Message(bytes)).toThrow(MalformedError)
  })
})
