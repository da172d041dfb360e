import { parseMonitorLine } from './monitor.js'

it('a command of a client shows its source and words', () => {
  expect(parseMonitorLine('+1700000000.123456 [0 127.0.0.1:50000] "set" "k" "a b"')).toEqual({
    source: '127.0.0.1:50000',
    words: ['set', 'k', 'a b'],
  })
})

it('a call inside a script has lua as its source', () =>
  expect(parseMonitorLine('+1.5 [3 lua] "get" "k"')).toEqual({ source: 'lua', words: ['get', 'k'] }))

it('the address of an IPv6 client is parsed completely', () =>
  expect(parseMonitorLine('+1.5 [0 [::1]:50000] "ping"')?.words).toEqual(['ping']))

it('escaped characters are decoded to bytes', () =>
  expect(parseMonitorLine('+1.5 [0 lua] "a\\"b\\\\c\\n\\x00\\xff"')?.words).toEqual(['a"b\\c\n\x00\xff']))

it('other lines are not commands', () => expect(parseMonitorLine('+OK')).toBeNull())
