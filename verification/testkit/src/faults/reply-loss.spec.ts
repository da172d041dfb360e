import { ReplyLoss } from './reply-loss.js'

/** The server's bytes for the request, between an earlier and a later reply. */
function conversation(loss: ReplyLoss): Buffer {
  const [first, second] = loss
    .wrap(Buffer.from('*1\r\n$4\r\nINCR\r\n'))
    .toString()
    .match(/[0-9a-f]{32}/g) ?? ['', '']
  return Buffer.from(`$2\r\nhi\r\n$32\r\n${first}\r\n:7\r\n$32\r\n${second}\r\n`)
}

it('replies to earlier requests pass, its own does not', () => {
  const loss = new ReplyLoss()
  expect(loss.pass(conversation(loss)).toString()).toBe('$2\r\nhi\r\n')
  expect(loss.done).toBe(true)
})

it('it makes no difference where the bytes are split', () => {
  const loss = new ReplyLoss()
  let passed = ''
  for (const byte of conversation(loss)) {
    expect(loss.done).toBe(false)
    passed += loss.pass(Buffer.from([byte])).toString()
    if (loss.done) break
  }
  expect(passed).toBe('$2\r\nhi\r\n')
  expect(loss.done).toBe(true)
})
