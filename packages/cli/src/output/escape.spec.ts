import { escapeSentence, escapeText, toJson } from './escape.js'

describe('a hostile name', () => {
  it.each([
    ['a window title', '\x1b]0;owned\x07', '\\x1b]0;owned\\x07'],
    ['a colour', '\x1b[31mred', '\\x1b[31mred'],
    ['a C1 introducer', '\x9b31m', '\\x9b31m'],
    ['DEL', 'a\x7f', 'a\\x7f'],
    ['a line break', 'a\r\nb', 'a\\r\\nb'],
    ['a tab and a NUL', '\t\0', '\\t\\x00'],
    ['a bidi override', 'safe\u202egpj.exe', 'safe\\u{202e}gpj.exe'],
    ['a bidi isolate', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    ['a zero-width space', 'or\u200bder', 'or\\u{200b}der'],
    ['a byte order mark', '\ufeffx', '\\u{feff}x'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['an invisible tag', '\u{e0041}', '\\u{e0041}'],
    ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
    ['a noncharacter', '\ufffe', '\\u{fffe}'],
    ['a private character', '\ue000', '\\u{e000}'],
    ['a no-break space', 'a\u00a0b', 'a\\xa0b'],
    ['an ideographic space', 'a\u3000b', 'a\\u{3000}b'],
    ['a Hangul filler', 'a\u3164b', 'a\\u{3164}b'],
    ['a variation selector', 'a\ufe0fb', 'a\\u{fe0f}b'],
    ['a Braille blank', 'a\u2800b', 'a\\u{2800}b'],
    ['what looks like an escape', '\\x1b', '\\\\x1b'],
  ])('with %s is shown as text', (_, name, shown) => expect(escapeText(name)).toBe(shown))
})

it.each(['order:42', 'größe', '注文:42', 'заказ', '🔒', '{tenant}:a b'])('%s is shown as it is', (name) =>
  expect(escapeText(name)).toBe(name),
)

it('a sentence keeps its backslashes', () =>
  expect(escapeSentence('lock \\x1b: \x1b[2J')).toBe('lock \\x1b: \\x1b[2J'))

it('JSON has the same text for programs, and nothing that a terminal acts on', () => {
  const value = { name: `\x1b[2J\x9b\u202e${String.fromCharCode(0xd800)} \u{e0041}\n\\` }
  const json = toJson(value)
  expect(json).toMatch(/^[\x20-\x7e]+$/)
  expect(JSON.parse(json)).toEqual(value)
})

it('a fencing token that is not known is null in JSON, and one that is known a number', () => {
  const holds = [{ fencingToken: 0 }, { fencingToken: 7, position: 0 }]
  expect(JSON.parse(toJson({ fencingToken: 0, holds }))).toEqual({
    fencingToken: null,
    holds: [{ fencingToken: null }, { fencingToken: 7, position: 0 }],
  })
})
