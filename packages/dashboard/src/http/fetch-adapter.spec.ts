import type { Write } from './exchange.js'
import { responseOf } from './fetch-adapter.js'
import { reply } from './replies.js'

it('a reader who falls a megabyte behind is cut off, and what was kept for it is dropped', async () => {
  let write: Write = () => undefined
  const left = jest.fn()
  const answer = {
    ...reply(200, 'text/event-stream', ''),
    stream: (to: Write) => {
      write = to
      return left
    },
  }
  const reader = responseOf(answer, true, new AbortController().signal).body?.getReader()
  write('x'.repeat(1_024 * 1_024))
  expect(left).not.toHaveBeenCalled()
  write('x')
  expect(left).toHaveBeenCalledTimes(1)
  write('after the end')
  await expect(reader?.read()).rejects.toThrow('1048576 bytes behind')
})
