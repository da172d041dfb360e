import calculateSlot from 'cluster-key-slot'
import { InvalidArgumentError } from '../errors.js'
import { clientInboxOf, inboxOf, KeySpace, nativeFenceOf } from './keys.js'
import { releaseChannelOf, tokenKeyOf } from './redisson/names.js'

const spaceOf = (keyPrefix: string, prefix: string, fenceOf = nativeFenceOf): KeySpace =>
  new KeySpace({ keyPrefix, prefix, fenceOf, groupOf: () => '' })

const plain = spaceOf('', 'lock:')

describe('the keys of a lock', () => {
  it('without braces are put under a hash tag of the whole lock key', () => {
    expect(plain.lock('order:42')).toEqual({
      name: 'order:42',
      id: 'lock:order:42',
      group: '',
      lock: 'lock:order:42',
      queue: '{lock:order:42}:fifo',
      waiters: '{lock:order:42}:waiters',
      fence: '{lock:order:42}:fence',
    })
  })

  it('with a hash tag in the name keep that tag', () => {
    expect(plain.lock('{tenant-7}:order')).toEqual({
      name: '{tenant-7}:order',
      id: 'lock:{tenant-7}:order',
      group: '',
      lock: 'lock:{tenant-7}:order',
      queue: 'lock:{tenant-7}:order:fifo',
      waiters: 'lock:{tenant-7}:order:waiters',
      fence: 'lock:{tenant-7}:order:fence',
    })
  })

  it('begin with the key prefix of the application, then the prefix of Holdfast', () => {
    expect(spaceOf('app:', 'mutex:').lock('a')).toMatchObject({
      lock: 'app:mutex:a',
      queue: '{app:mutex:a}:fifo',
    })
  })

  it('take a hash tag from the prefix too', () => {
    expect(spaceOf('{app}:', 'lock:').lock('a')).toMatchObject({
      lock: '{app}:lock:a',
      fence: '{app}:lock:a:fence',
    })
  })

  it.each([
    ['', 'lock:', 'order:42'],
    ['', 'lock:', '{tenant-7}:order'],
    ['', 'lock:', 'order:{42}'],
    ['{app}:', 'lock:', 'order'],
    ['app:', '', 'ключ 🔑'],
    ['', '', ' '],
  ])('of prefixes %j and %j and name %j live in one slot', (keyPrefix, prefix, name) => {
    const { lock, queue, waiters, fence } = spaceOf(keyPrefix, prefix).lock(name)
    const slot = calculateSlot(lock)
    expect([queue, waiters, fence].map((key) => calculateSlot(key))).toEqual([slot, slot, slot])
  })

  it('have the token count of Redisson for a fence, if shared with it', () => {
    const shared = spaceOf('app:', '', tokenKeyOf)
    expect(shared.lock('order:42')).toMatchObject({
      lock: 'app:order:42',
      queue: '{app:order:42}:fifo',
      fence: 'redisson_lock_token:{app:order:42}',
    })
    expect(shared.lock('{eu}:order').fence).toBe('redisson_lock_token:app:{eu}:order')
    for (const name of ['order:42', '{eu}:order']) {
      const { lock, fence } = shared.lock(name)
      expect(calculateSlot(fence)).toBe(calculateSlot(lock))
      expect(calculateSlot(releaseChannelOf(lock))).toBe(calculateSlot(lock))
    }
  })

  it('are all different, and differ from those of every other lock', () => {
    const keys = ['a', 'b', 'a:b', '{a}', '{a}:b'].flatMap((name) => {
      const { lock, queue, waiters, fence } = plain.lock(name)
      return [lock, queue, waiters, fence]
    })
    expect(new Set(keys).size).toBe(20)
  })
})

describe('a name', () => {
  it.each([
    ['that ends in :fifo', 'jobs:fifo', /must not end in :fifo/],
    ['that ends in :waiters', 'jobs:waiters', /must not end in :waiters/],
    ['that ends in :fence', 'jobs:fence', /must not end in :fence/],
    ['with a brace that is never closed', 'a{b', /one hash tag/],
    ['with a brace that was never opened', 'a}b', /one hash tag/],
    ['with braces the wrong way round', '}a{', /one hash tag/],
    ['with an empty hash tag', 'a{}b', /one hash tag/],
    ['with two hash tags', '{a}{b}', /one hash tag/],
    ['with a hash tag in another', '{{a}}', /one hash tag/],
  ])('%s is refused', (_, name, message) => {
    expect(() => plain.lock(name)).toThrow(InvalidArgumentError)
    expect(() => plain.lock(name)).toThrow(message)
  })

  it('that makes a second hash tag beside the one of the prefix is refused', () => {
    expect(() => spaceOf('{app}:', 'lock:').lock('{b}')).toThrow(/one hash tag/)
  })

  it('that collides with the registry of clients is refused', () => {
    expect(() => spaceOf('app:', '').lock('holdfast:client:x')).toThrow(/client registry/)
  })

  it('is named by the error that refuses it', () => {
    const refuse = jest.fn(() => plain.lock('a{b'))
    expect(refuse).toThrow()
    expect(refuse.mock.results[0]?.value).toMatchObject({
      lockName: 'a{b',
      message:
        'braces in a name must form exactly one hash tag, such as {tenant}: lock:a{b; ' +
        'lockName(text) makes a valid name from any text',
    })
  })
})

describe('a lock found by its key', () => {
  it.each(['order:42', '{tenant-7}:order'])('is the one of that name: %s', (name) => {
    const space = spaceOf('app:', 'lock:')
    expect(space.ofKey(space.lock(name).lock)).toEqual(space.lock(name))
  })

  it('is none when the key has other prefixes', () => {
    expect(spaceOf('app:', 'lock:').ofKey('lock:order:42')).toBeNull()
  })
})

describe('other names', () => {
  it('the registry key of a client has the key prefix of the application, but not the prefix of locks', () => {
    expect(spaceOf('app:', 'lock:').registry('c1')).toBe('app:holdfast:client:c1')
  })

  it('the inbox of a client has no prefix at all: channels know none', () => {
    expect(inboxOf('c1')).toBe('holdfast:inbox:c1')
  })

  it('the inbox of an owner is that of its client', () => {
    expect(clientInboxOf('c1:7')).toBe(inboxOf('c1'))
  })
})
