import { addressOf, addressOfId } from './address.js'

const names = [
  'order:42',
  'back\\slash',
  'nul\0',
  '\\0',
  '\\u0000',
  '锁 🔒',
  '\ud83d',
  'a\ud83d\\\udd12b',
  '\\rw ',
]
const objects = ['lock', 'read-write-lock', 'semaphore', 'latch'] as const

it.each(names.flatMap((name) => objects.map((object) => [object, name] as const)))(
  'the id of the %s %j leads back to it, and PostgreSQL can store it',
  (object, name) => {
    const address = addressOf(name, object)
    expect(address.name).toBe(name)
    expect(addressOfId(address.id)).toEqual(address)
    expect(address.id).not.toMatch(/\0|\p{Surrogate}/u)
  },
)

it('different objects and different names have different ids', () => {
  const encoded = [
    '\0',
    '\\0',
    '\\\\0',
    '\ud83d',
    '\\ud83d',
    '\ufffd',
    'rw ',
    '\\rw ',
    '\\semaphore ',
    'x',
    'rw x',
  ]
  const ids = encoded.flatMap((name) => objects.map((object) => addressOf(name, object).id))
  expect(new Set(ids).size).toBe(ids.length)
})
