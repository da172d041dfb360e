import calculateSlot from 'cluster-key-slot'
import { KeySpace } from '../keys.js'
import { layoutWith, releaseChannelOf } from './calls.js'
import type { RedissonSemaphore } from './calls.js'

const spaceOf = (keyPrefix: string, semaphores?: RedissonSemaphore): KeySpace =>
  new KeySpace({ keyPrefix, prefix: '', layout: layoutWith(semaphores), groupOf: () => '' })

describe('the keys of an object that is shared with Redisson', () => {
  it('differ for t and {t}', () => {
    const [bare, braced, longer] = ['t', '{t}', '{t}:'].map((name) => spaceOf('').locate(name))
    for (const part of ['id', 'main', 'queue', 'waiters'] as const)
      expect(new Set([bare?.[part], braced?.[part], longer?.[part]]).size).toBe(3)
    expect(braced?.main).toBe('{t}')
    expect(calculateSlot(braced?.queue ?? '')).toBe(calculateSlot('t'))
  })

  it("have Redisson's token count for a fence", () => {
    const shared = spaceOf('app:')
    expect(shared.locate('order:42')).toMatchObject({
      main: 'app:order:42',
      queue: '{app:order:42}:fifo',
      fence: 'redisson_lock_token:{app:order:42}',
    })
    expect(shared.locate('{eu}:order').fence).toBe('redisson_lock_token:app:{eu}:order')
    for (const name of ['order:42', '{eu}:order']) {
      const { main: lock, fence } = shared.locate(name)
      expect(calculateSlot(fence)).toBe(calculateSlot(lock))
      expect(calculateSlot(releaseChannelOf(lock))).toBe(calculateSlot(lock))
    }
  })

  it('are of their own but for the first one, if it is no lock', () => {
    const shared = spaceOf('app:')
    const keys = shared.locate('order:42', 'read-write-lock')
    expect(keys).toMatchObject({
      kind: 'read-write-lock',
      id: '{app:order:42}:rw',
      group: ' read-write-lock',
      main: 'app:order:42',
      queue: '{app:order:42}:rw:fifo',
    })
    expect(shared.resolve(keys.id)).toEqual(keys)
  })

  it.each([
    ['RSemaphore', 'semaphore'],
    ['RPermitExpirableSemaphore', 'permits'],
  ] as const)('of an %s have its scripts, also if only the id is known', (semaphores, kind) => {
    const shared = spaceOf('', semaphores)
    const keys = shared.locate('order:42', 'semaphore')
    expect(keys.kind).toBe(kind)
    expect(shared.resolve(keys.id)).toEqual(keys)
  })

  it('are permitted object by object, since their names have nothing in common', () =>
    expect(spaceOf('').patternsFor('order:42')).toBe(
      '~order:42* ~{order:42* ~redisson_lock_token:{order:42* ~holdfast:client:*',
    ))
})
