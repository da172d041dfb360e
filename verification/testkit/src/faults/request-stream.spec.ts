import { RequestStream } from './request-stream.js'

const set = '*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nv\r\nal\r\n'
const get = '*2\r\n$3\r\nGET\r\n$1\r\nk\r\n'

it('several requests in one chunk are returned one by one', () => {
  const requests = new RequestStream().push(Buffer.from(set + get))
  expect(requests.map(({ text }) => text)).toEqual(['SET k v\r\nal', 'GET k'])
  expect(requests.map(({ bytes }) => bytes.toString())).toEqual([set, get])
})

it('a request that arrives byte by byte is returned once, when it is complete', () => {
  const stream = new RequestStream()
  const texts: string[] = []
  for (const byte of Buffer.from(set + get)) {
    for (const { text } of stream.push(Buffer.from([byte]))) texts.push(text)
  }
  expect(texts).toEqual(['SET k v\r\nal', 'GET k'])
})

it('lengths count bytes, not characters', () => {
  const requests = new RequestStream().push(Buffer.from(`*1\r\n$3\r\n€\r\n${get}`))
  expect(requests.map(({ text }) => text)).toEqual(['€', 'GET k'])
})

it('bytes of another protocol pass unchanged', () => {
  const requests = new RequestStream().push(Buffer.from('PING\r\n'))
  expect(requests.map(({ bytes }) => bytes.toString())).toEqual(['PING\r\n'])
})

it('the start of an incomplete request can be taken out', () => {
  const stream = new RequestStream()
  stream.push(Buffer.from(get + set.slice(0, 9)))
  expect(stream.takeRest().toString()).toBe(set.slice(0, 9))
  expect(stream.takeRest()).toHaveLength(0)
})
