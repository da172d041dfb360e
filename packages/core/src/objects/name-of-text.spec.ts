import fc from 'fast-check'
import { InvalidArgumentError } from '../errors/errors.js'
import { KeySpace, nativeLayout } from '../redis/keys.js'
import { lockName } from '../options/checks.js'

/** Any 16-bit units, unpaired surrogates included, and what names could trip over. */
const text = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(
        '%',
        '%25',
        '%3A',
        '%u',
        'D800',
        '\ud800',
        '\udc00',
        '{',
        '}',
        ':',
        'é',
        '🔒',
        '\0',
        '\x85',
      ),
      fc.constantFrom('fifo', 'waiters', 'fence', 'holdfast:client:', '%no-text', '%sha256-', 'e', '%65'),
      fc.constantFrom('x'.repeat(39), 'x'.repeat(256), '%'.repeat(90), '锁'.repeat(90)),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

const spaces = ['', 'lock:', '{app}:'].map(
  (prefix) => new KeySpace({ keyPrefix: '', prefix, layout: nativeLayout, groupOf: () => '' }),
)

/** What the name of a short text was made from. */
const textOf = (name: string): string =>
  name === '%no-text'
    ? ''
    : name.replace(/%u([0-9A-F]{4})|(?:%[0-9A-F]{2})+/g, (escape, unit?: string) =>
        unit === undefined ? decodeURIComponent(escape) : String.fromCharCode(Number.parseInt(unit, 16)),
      )

it('the name of any text is valid, alone and as the end of a longer one', () =>
  fc.assert(
    fc.property(text, (given) => {
      const name = lockName(given)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(256)
      expect(Buffer.from(name).toString()).toBe(name)
      expect(name).not.toMatch(/[:{}]/)
      for (const space of spaces) {
        expect(space.locate(name).name).toBe(name)
        expect(() => space.locate(`order:${name}`)).not.toThrow()
      }
    }),
  ))

it('the text can be read back from a name that is not shortened, so no two texts share one', () =>
  fc.assert(
    fc.property(text, (given) => {
      const name = lockName(given)
      if (!name.includes('%s')) expect(textOf(name)).toBe(given)
    }),
  ))

it('texts that differ get names that differ', () =>
  fc.assert(
    fc.property(fc.uniqueArray(text, { maxLength: 20 }), (texts) =>
      expect(new Set(texts.map(lockName)).size).toBe(texts.length),
    ),
  ))

it('long texts that differ in one character get different names, and none equals that of another text', () => {
  const long = 'x'.repeat(2_000)
  const texts = [long, `y${long}`, `${long}y`, `${long}\ud800`, `${long}\ud801`, `${long}\ufffd`]
  const names = texts.map(lockName)
  const all = [...names, ...names.map(lockName)]
  expect(new Set(all).size).toBe(2 * texts.length)
})

it('a part of a name that ends like a key of Holdfast is escaped for every key that a lock has', () => {
  const [space] = spaces
  const keys: unknown[] = Object.values(space?.locate('a') ?? {})
  const ends = keys.map((key) => /^\{a\}:(.*)$/.exec(String(key))?.[1]).filter((end) => end !== undefined)
  expect(ends.length).toBeGreaterThanOrEqual(3)
  for (const end of ends) expect(() => space?.locate(`jobs:${lockName(end)}`)).not.toThrow()
})

// Clients of different versions share locks: a change here lets two of them hold one lock at once.
it.each([
  ['order 42', 'order 42'],
  ['Zoë/锁?', 'Zoë/锁?'],
  ['a:b{c}', 'a%3Ab%7Bc%7D'],
  ['100%', '100%25'],
  ['a\n\0\x85', 'a%0A%00%C2%85'],
  ['', '%no-text'],
  ['fifo', 'fif%6F'],
  ['my fifo', 'my fifo'],
  ['\ud800', '%uD800'],
  ['x'.repeat(256), 'x'.repeat(256)],
  [
    'x'.repeat(257),
    `${'x'.repeat(40)}%sha256-15eb95a462ee20bd91a415ae2d4aed341288186ddaa2b37908f7d592f0c3f85f`,
  ],
])('the name of %j is %s', (given, name) => expect(lockName(given)).toBe(name))

it.each([42, 42n, null, undefined, {}, Symbol('a')])('%p is refused', (given) => {
  const call = (): unknown => Reflect.apply(lockName, undefined, [given])
  expect(call).toThrow(InvalidArgumentError)
  expect(call).toThrow(/^lockName needs a string, got /)
})
