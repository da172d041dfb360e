import { piecesOf, visibleName } from './visible-name.js'

it('an ordinary name is one piece, in any script', () => {
  for (const name of ['order:42', 'пропуск/7', '注文', '🔒 ключ']) {
    expect(piecesOf(name)).toEqual([{ text: name, isEscaped: false }])
  }
})

it.each([
  ['a\u0000b', 'a\\u0000b'],
  ['a\tb\n', 'a\\u0009b\\u000a'],
  ['\u001b[31mred', '\\u001b[31mred'],
  ['photo\u202egnp.exe', 'photo\\u202egnp.exe'],
  ['\u2066left\u2069', '\\u2066left\\u2069'],
  ['zero\u200bwidth\u00a0space', 'zero\\u200bwidth\\u00a0space'],
  ['wide\u3000and\u2003thin\u2009space', 'wide\\u3000and\\u2003thin\\u2009space'],
  ['fillers\u3164\u115f\u2800', 'fillers\\u3164\\u115f\\u2800'],
  ['variation\ufe0f', 'variation\\ufe0f'],
  ['tag\u{e0041}', 'tag\\u{e0041}'],
  ['lone\ud800surrogate\udc00', 'lone\\ud800surrogate\\udc00'],
])('what cannot be seen is escaped: %j', (name, visible) => expect(visibleName(name)).toBe(visible))

it('the pieces of a name, unescaped, are the name', () => {
  const name = '\u202e<img src=x onerror=alert(1)>\u0007\u{e0041} end'
  const raw = piecesOf(name).map(({ text, isEscaped }) =>
    isEscaped ? String.fromCodePoint(Number.parseInt(text.replace(/[^\da-f]/g, ''), 16)) : text,
  )
  expect(raw.join('')).toBe(name)
})
