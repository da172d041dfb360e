import { ReplyStream, type Reply } from './reply-stream.js'

const bytes = Buffer.from(
  [
    'EN\r\n',
    'VA 6 c7 t-1\r\n\r\nEN\r\n\r\n',
    'STAT version 1.6.18\r\nSTAT libevent 2.1.12 stable\r\nEND\r\n',
    'VA 0 c8\r\n\r\n',
    'VA 5 c9\r\nä€\r\n',
    'SERVER_ERROR out of memory storing object\r\n',
    'HD\r\n',
  ].join(''),
)
const none = new Map<string, string>()
const expected: readonly Reply[] = [
  { code: 'EN', words: [], value: '', stats: none },
  { code: 'VA', words: ['6', 'c7', 't-1'], value: '\r\nEN\r\n', stats: none },
  {
    ...{ code: 'END', words: [], value: '' },
    stats: new Map([
      ['version', '1.6.18'],
      ['libevent', '2.1.12 stable'],
    ]),
  },
  { code: 'VA', words: ['0', 'c8'], value: '', stats: none },
  { code: 'VA', words: ['5', 'c9'], value: 'ä€', stats: none },
  { code: 'SERVER_ERROR', words: ['out', 'of', 'memory', 'storing', 'object'], value: '', stats: none },
  { code: 'HD', words: [], value: '', stats: none },
]

describe('replies of memcached', () => {
  it('are the same wherever the network splits them', () => {
    for (let at = 0; at <= bytes.length; at += 1) {
      const stream = new ReplyStream()
      expect([...stream.push(bytes.subarray(0, at)), ...stream.push(bytes.subarray(at))]).toEqual(expected)
    }
  })

  it('are found byte by byte', () => {
    const stream = new ReplyStream()
    expect([...bytes].flatMap((byte) => stream.push(Buffer.from([byte])))).toEqual(expected)
  })

  it('are not made of what another server says', () => {
    expect(() => new ReplyStream().push(Buffer.from('VA many\r\n'))).toThrow('a value of length many')
    expect(() => new ReplyStream().push(Buffer.alloc(10_000, 'x'))).toThrow('a line without an end')
  })
})
