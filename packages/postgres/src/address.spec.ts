import { addressOf, addressOfId } from './address.js'

it.each(['order:42', 'back\\slash', 'nul\0', '\\0', '\\u0000', '锁 🔒', '\ud83d', 'a\ud83d\\\udd12b'])(
  'the id of %j leads back to it, and PostgreSQL can store it',
  (name) => {
    const { id } = addressOf(name, 'lock')
    expect(addressOfId(id)).toEqual({ name, id, group: '' })
    expect(id).not.toMatch(/\0|\p{Surrogate}/u)
  },
)

it('different names have different ids', () => {
  const names = ['\0', '\\0', '\\\\0', '\ud83d', '\\ud83d', '\ufffd']
  expect(new Set(names.map((name) => addressOf(name, 'lock').id)).size).toBe(names.length)
})
