import { keyOf } from './keys.js'

describe('keys of memcached', () => {
  it.each(['l:a', 'l:orders/42', `l:${'x'.repeat(198)}`, '{tenant}~!'])('are %j as it is', (name) => {
    expect(keyOf(name)).toBe(name)
  })

  it.each(['', 'with space', 'a\nb', 'a\0b', 'größe', '%a', 'x'.repeat(201), 'x'.repeat(1_024)])(
    'are a hash of %j, of characters that memcached takes',
    (name) => expect(keyOf(name)).toMatch(/^%[\w-]{43}$/),
  )

  it('differ for names that differ', () => {
    const names = ['a b', 'a  b', 'a\nb', 'a%20b', 'ä', 'a\u0308', '%', '%%', 'A b']
    const hash = keyOf('a b')
    expect(new Set([...names, hash].map(keyOf)).size).toBe(names.length + 1)
  })
})
