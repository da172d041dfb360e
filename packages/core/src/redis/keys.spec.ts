import calculateSlot from 'cluster-key-slot'
import { InvalidArgumentError } from '../errors/errors.js'
import { clientInboxOf, inboxOf, KeySpace, nativeLayout } from './keys.js'
import { readKey } from './operator.js'

const spaceOf = (keyPrefix: string, prefix: string): KeySpace =>
  new KeySpace({ keyPrefix, prefix, layout: nativeLayout, groupOf: () => '' })

const plain = spaceOf('', 'lock:')

describe('the keys of a lock', () => {
  it('without braces are put under a hash tag of the whole lock key', () =>
    expect(plain.locate('order:42')).toEqual({
      name: 'order:42',
      kind: 'lock',
      id: 'lock:order:42',
      group: '',
      main: 'lock:order:42',
      queue: '{lock:order:42}:fifo',
      waiters: '{lock:order:42}:waiters',
      fence: '{lock:order:42}:fence',
      ends: '{lock:order:42}:ends',
      size: '{lock:order:42}:size',
      counted: '{lock:order:42}:counted',
    }))

  it('with a hash tag in the name keep that tag', () =>
    expect(plain.locate('{tenant-7}:order')).toEqual({
      name: '{tenant-7}:order',
      kind: 'lock',
      id: 'lock:{tenant-7}:order',
      group: '',
      main: 'lock:{tenant-7}:order',
      queue: 'lock:{tenant-7}:order:fifo',
      waiters: 'lock:{tenant-7}:order:waiters',
      fence: 'lock:{tenant-7}:order:fence',
      ends: 'lock:{tenant-7}:order:ends',
      size: 'lock:{tenant-7}:order:size',
      counted: 'lock:{tenant-7}:order:counted',
    }))

  it('begin with the key prefix of the application, then the prefix of Holdfast', () =>
    expect(spaceOf('app:', 'mutex:').locate('a')).toMatchObject({
      main: 'app:mutex:a',
      queue: '{app:mutex:a}:fifo',
    }))

  it('take a hash tag from the prefix too', () =>
    expect(spaceOf('{app}:', 'lock:').locate('a')).toMatchObject({
      main: '{app}:lock:a',
      fence: '{app}:lock:a:fence',
    }))

  it('without a prefix differ for t and {t}', () => {
    const space = spaceOf('', '')
    const [bare, braced, longer] = ['t', '{t}', '{t}:'].map((name) => space.locate(name))
    for (const part of ['id', 'main', 'queue', 'waiters'] as const)
      expect(new Set([bare?.[part], braced?.[part], longer?.[part]]).size).toBe(3)
    expect(braced?.main).toBe('{t}')
    expect(calculateSlot(braced?.queue ?? '')).toBe(calculateSlot('t'))
  })

  it.each(['read-write-lock', 'semaphore', 'latch'] as const)('of a %s, too', (object) => {
    const space = spaceOf('', '')
    const [bare, braced] = ['t', '{t}'].map((name) => space.locate(name, object))
    expect(braced?.main).not.toBe(bare?.main)
    for (const keys of [bare, braced]) expect(space.resolve(keys?.id ?? '')).toEqual(keys)
  })

  it.each([
    ['', 'lock:', 'order:42'],
    ['', 'lock:', '{tenant-7}:order'],
    ['', 'lock:', 'order:{42}'],
    ['{app}:', 'lock:', 'order'],
    ['app:', '', 'ключ 🔑'],
    ['', '', ' '],
    ['', '', '{t}'],
  ])('of prefixes %j and %j and name %j live in one slot', (keyPrefix, prefix, name) => {
    const { main: lock, queue, waiters, fence } = spaceOf(keyPrefix, prefix).locate(name)
    const slot = calculateSlot(lock)
    expect([queue, waiters, fence].map((key) => calculateSlot(key))).toEqual([slot, slot, slot])
  })

  it('are all different, and differ from those of every other lock', () => {
    const keys = ['a', 'b', 'a:b', '{a}', '{a}:b'].flatMap((name) => {
      const { main: lock, queue, waiters, fence } = plain.locate(name)
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
    ['that ends in :rw:ends', '{jobs}:rw:ends', /must not end in :rw:ends/],
    ['that ends in :semaphore:size', '{jobs}:semaphore:size', /must not end in :semaphore:size/],
    ['with a brace that is never closed', 'a{b', /one hash tag/],
    ['with a brace that was never opened', 'a}b', /one hash tag/],
    ['with braces the wrong way round', '}a{', /one hash tag/],
    ['with an empty hash tag', 'a{}b', /one hash tag/],
    ['with two hash tags', '{a}{b}', /one hash tag/],
    ['with a hash tag in another', '{{a}}', /one hash tag/],
  ])('%s is refused', (_, name, message) => {
    expect(() => plain.locate(name)).toThrow(InvalidArgumentError)
    expect(() => plain.locate(name)).toThrow(message)
  })

  it('that makes a second hash tag beside the one of the prefix is refused', () =>
    expect(() => spaceOf('{app}:', 'lock:').locate('{b}')).toThrow(/one hash tag/))

  it('that collides with the registry of clients is refused', () =>
    expect(() => spaceOf('app:', '').locate('holdfast:client:x')).toThrow(/client registry/))

  it('is named by the error that refuses it', () => {
    const refuse = jest.fn(() => plain.locate('a{b'))
    expect(refuse).toThrow()
    expect(refuse.mock.results[0]?.value).toMatchObject({
      lockName: 'a{b',
      message:
        'braces in a name must form exactly one hash tag, such as {tenant}: lock:a{b; ' +
        'lockName(text) makes a valid name from any text',
    })
  })
})

it.each([
  ['', '{'],
  ['a}', 'lock:'],
  ['{a}', '{b}'],
  ['', '{}'],
])('prefixes whose braces do not form one hash tag are refused: %j and %j', (keyPrefix, prefix) =>
  expect(() => spaceOf(keyPrefix, prefix)).toThrow(/^braces in a prefix must form exactly one hash tag/),
)

describe('a lock found by its key', () => {
  it.each(['order:42', '{tenant-7}:order'])('is the one of that name: %s', (name) => {
    const space = spaceOf('app:', 'lock:')
    expect(space.resolve(space.locate(name).main)).toEqual(space.locate(name))
  })

  it('is none when the key has other prefixes', () =>
    expect(spaceOf('app:', 'lock:').resolve('lock:order:42')).toBeNull())
})

describe('any key of the store', () => {
  const objects = ['lock', 'read-write-lock', 'semaphore', 'latch'] as const
  const parts = ['main', 'queue', 'waiters', 'fence', 'ends', 'size', 'counted'] as const

  it.each([
    ['', 'lock:', 'order:42'],
    ['', 'lock:', '{tenant-7}:order'],
    ['', 'lock:', 'order:{42}'],
    ['', 'lock:', '{t}'],
    ['app:', 'lock:', 'a:ends'],
    ['{app}:', 'lock:', 'order'],
    ['', '{app}', 'order'],
    ['app:', '', 'ключ 🔑'],
    ['', '', ' '],
    ['', '', 't'],
    ['', '', '{t}'],
    ['', '', '{t}:'],
    ['', 'lock:', 'two\nlines'],
  ])('of prefixes %j and %j and name %j is found to be what it is', (keyPrefix, prefix, name) => {
    const space = spaceOf(keyPrefix, prefix)
    for (const object of objects) {
      const keys = space.locate(name, object)
      for (const part of parts) {
        // Those are keys of other objects than locks.
        if (object === 'lock' && ['ends', 'size', 'counted'].includes(part)) continue
        expect(readKey(space, keys[part])).toEqual({ keys, object, part })
      }
    }
  })

  it.each([
    'app:holdfast:client:c1',
    'holdfast:client:c1',
    'lock:a',
    'app:lock:',
    'app:other:a',
    '{app:lock:a}',
    '{app:lock:a}:other',
    '{app:lock:a}:fifo:fifo',
    'app:lock:a:fifo',
    'app:lock:a:rw',
    'app:lock:a{b',
    '{app:lock:{t}:a}:fifo',
    '',
  ])('is none of ours: %j', (key) => expect(readKey(spaceOf('app:', 'lock:'), key)).toBeNull())

  it('that registers a client does not count as a lock, even without a prefix', () =>
    expect(readKey(spaceOf('', ''), 'holdfast:client:c1')).toBeNull())
})

describe('other names', () => {
  it('the registry key of a client has the key prefix of the application, but not the prefix of locks', () =>
    expect(spaceOf('app:', 'lock:').registry('c1')).toBe('app:holdfast:client:c1'))

  it('the inbox of a client has no prefix at all: channels know none', () =>
    expect(inboxOf('c1')).toBe('holdfast:inbox:c1'))

  it('the inbox of an owner is that of its client', () => expect(clientInboxOf('c1:7')).toBe(inboxOf('c1')))
})

describe('the patterns that a Redis user needs', () => {
  it.each([
    ['', 'lock:', '~lock:* ~{lock:* ~holdfast:client:*'],
    ['shop:', 'lock:', '~shop:lock:* ~{shop:lock:* ~shop:holdfast:client:*'],
    ['{shop}:', 'lock:', '~{shop}:lock:* ~{shop}:holdfast:client:*'],
  ])('with the prefixes %j and %j are those of all its keys', (keyPrefix, prefix, patterns) =>
    expect(spaceOf(keyPrefix, prefix).patternsFor('any')).toBe(patterns),
  )
})
