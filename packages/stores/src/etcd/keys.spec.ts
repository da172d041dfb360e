import { decodeName, encodeName, Keys, ownerOf } from './keys.js'

const names = ['order:42', 'a/b', '~', '%', 'ä 💾', '\ud800', 'x\udc00y', '\0', '%uD800', '.', '..']

describe('keys', () => {
  it.each(names)('keep the name %j', (name) => {
    const encoded = encodeName(name)
    expect(encoded).not.toMatch(/[/~]/)
    expect(decodeName(encoded)).toBe(name)
    expect(Buffer.from(encoded).toString()).toBe(encoded)
  })

  it('are different for different names', () => {
    expect(new Set(names.map(encodeName)).size).toBe(names.length)
  })

  it('lead back to the queue and the owner', () => {
    const keys = new Keys('holdfast/')
    const key = keys.entry({ object: 'semaphore', name: 'a/~b' }, 'client~1:7', 'abc')
    expect(keys.queueOf(key)).toEqual({ object: 'semaphore', name: 'a/~b' })
    expect(ownerOf(key)).toEqual({ owner: 'client~1:7', session: 'abc' })
  })

  it('do not take a key of another kind for a queue', () => {
    expect(new Keys('holdfast/').queueOf('holdfast/queues/other/x/y')).toBeNull()
  })
})
