import { Holdfast } from '../../holdfast.js'
import { HoldfastQuorum } from '../../quorum/holdfast-quorum.js'
import { InvalidArgumentError } from '../../errors/errors.js'
import { redisson } from './engine.js'

const redis = 'redis://127.0.0.1:1'

const refusalOf = (given: unknown): unknown => {
  try {
    return Reflect.apply(redisson, undefined, [given])
  } catch (error) {
    return error
  }
}

const open = (options: Partial<Parameters<typeof redisson>[0]> = {}): Holdfast =>
  new Holdfast({ engine: redisson({ redis, ...options }) })

describe('an option that makes no sense is refused', () => {
  it.each([
    [undefined, /options must be an object, got undefined.*redisson\(\{ redis: url \}\)/],
    [redis, /options must be an object, got a string/],
    [
      { redis, prefix: 'lock:' },
      /unknown option 'prefix'.*valid options: redis, credentials, semaphores, minReplicas/,
    ],
    [{ redis, watchdogTimeoutMs: 500 }, /unknown option 'watchdogTimeoutMs'/],
    [{ redis, semaphores: 'RLock' }, /must be 'RSemaphore' or 'RPermitExpirableSemaphore', got 'RLock'/],
    [{ redis, semaphores: true }, /must be 'RSemaphore' or 'RPermitExpirableSemaphore', got true/],
    [{ redis, minReplicas: -1 }, /minReplicas must be an integer from 0/],
    [{ redis, replicaTimeoutMs: 0 }, /replicaTimeoutMs must be an integer from 1/],
  ])('%j', (given, message) => {
    const error = refusalOf(given)
    expect(error).toBeInstanceOf(InvalidArgumentError)
    expect(String(error)).toMatch(message)
  })

  it('where Redis is, too, before anything is sent', () =>
    expect(() => new Holdfast({ engine: redisson({ redis: 'http://a' }) })).toThrow(InvalidArgumentError))
})

describe('a semaphore', () => {
  it('is refused unless its form is known', async () => {
    const holdfast = open()
    expect(() => holdfast.getSemaphore('x', { permits: 1 })).toThrow(
      /redisson\(\{ redis, semaphores: 'RSemaphore' or 'RPermitExpirableSemaphore' \}\)/,
    )
    await holdfast.close()
  })

  it('that has no size is not resized', async () => {
    const holdfast = open({ semaphores: 'RSemaphore' })
    await expect(holdfast.getSemaphore('x', { permits: 1 }).resize(2)).rejects.toThrow(/has no size/)
    await holdfast.close()
  })

  it('is not resized for a time only', async () => {
    const holdfast = open({ semaphores: 'RPermitExpirableSemaphore' })
    const resizing = holdfast.getSemaphore('x', { permits: 1 }).resize(2, { keepMs: 1_000 })
    await expect(resizing).rejects.toThrow(/keepMs must be left out/)
    await holdfast.close()
  })

  it.each(['RSemaphore', undefined] as const)(
    'of another form than one of ids has none (%s)',
    (semaphores) => {
      const { sharing } = redisson({ redis, semaphores })
      expect(sharing?.isForeignHolder('0123456789abcdef0123456789abcdef')).toBe(false)
    },
  )

  it('of ids knows them', () => {
    const { sharing } = redisson({ redis, semaphores: 'RPermitExpirableSemaphore' })
    expect(sharing?.isForeignHolder('0123456789abcdef0123456789abcdef')).toBe(true)
    expect(sharing?.isForeignHolder('0123456789abcdef0123456789abcde')).toBe(false)
  })
})

describe('masters of a quorum are refused before anything is sent', () => {
  const urls = [1, 2, 3].map((port) => `redis://127.0.0.1:${port}`)
  const [native, shared, alsoShared] = urls
  const engineAt = (url = '', options = {}) => ({ engine: redisson({ redis: url, ...options }) })

  it.each([
    [
      'a native one first',
      [native, engineAt(shared), engineAt(alsoShared)],
      /masters\[0\] .*Holdfast only .*masters\[1\] with Redisson/,
    ],
    [
      'a native one last',
      [engineAt(shared), engineAt(alsoShared), native],
      /masters\[0\] .*Redisson .*masters\[2\] with clients of Holdfast only/,
    ],
  ])('that mix both, %s', (_, masters, message) => {
    const make = () => new HoldfastQuorum({ masters: masters as never })
    expect(make).toThrow(InvalidArgumentError)
    expect(make).toThrow(message)
  })

  it('one of which is to wait for replicas', () => {
    const masters = urls.map((url, i) => engineAt(url, i === 2 ? { minReplicas: 1 } : {}))
    expect(() => new HoldfastQuorum({ masters })).toThrow(/masters\[2\] .*replicaTimeoutMs.*does not wait/)
  })
})
