import { ClosedError } from '../errors/errors.js'
import { LockListing } from './listing.js'

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

const addressOf = (name: string) => ({ name, id: name, group: '' })

/** A listing of a store that reaches two locks with each of its steps, which never end. */
function listingOf({ limit = Infinity, signal }: { limit?: number; signal?: AbortSignal } = {}) {
  const closing = new AbortController()
  let steps = 0
  const listing = new LockListing(
    {
      storeName: 'test',
      steps: {
        inspect: () =>
          Promise.resolve({
            kind: 'lock',
            owner: 'client:1',
            count: 1,
            ttlMs: 30_000,
            token: 1,
            waiterCount: 0,
            waiters: [],
          }),
      },
      operator: {
        list: () => {
          steps += 1
          const found = [1, 2].map((n) => ({
            address: addressOf(`${steps}:${n}`),
            object: 'lock' as const,
          }))
          return Promise.resolve({ found, scanned: 2, total: 100, costMs: 1_000, next: String(steps) })
        },
      },
      latches: undefined,
      closing: closing.signal,
      ready: () => Promise.resolve(),
    },
    { pattern: '*', contended: false, limit, maxKeys: Infinity, signal },
  )
  const names: string[] = []
  const list = async (onName: (name: string) => void = () => undefined): Promise<unknown> => {
    try {
      for await (const { name } of listing) {
        names.push(name)
        onName(name)
      }
      return 'ended'
    } catch (error) {
      return error
    }
  }
  return { list, names, closing, steps: () => steps }
}

it('a listing takes no step and no rest after the object that reaches the limit', async () => {
  const { list, names, steps } = listingOf({ limit: 2 })
  expect(await list()).toBe('ended')
  expect(names).toEqual(['1:1', '1:2'])
  expect(steps()).toBe(1)
  expect(jest.getTimerCount()).toBe(0)
})

it('two iterations at once each list as many as the limit', async () => {
  const { list, names } = listingOf({ limit: 2 })
  await Promise.all([list(), list()])
  expect(names).toHaveLength(4)
})

const reason = new Error('changed my mind')

it('an abort ends the rest between two steps', async () => {
  const abort = new AbortController()
  const { list, names } = listingOf({ signal: abort.signal })
  const outcome = list()
  await jest.advanceTimersByTimeAsync(1)
  expect(names).toHaveLength(2)
  expect(jest.getTimerCount()).toBe(1)
  abort.abort(reason)
  expect(await outcome).toBe(reason)
  expect(jest.getTimerCount()).toBe(0)
})

it('so does close(), with ClosedError', async () => {
  const { list, closing } = listingOf()
  const outcome = list()
  await jest.advanceTimersByTimeAsync(1)
  const closed = new ClosedError('closed')
  closing.abort(closed)
  expect(await outcome).toBe(closed)
  expect(jest.getTimerCount()).toBe(0)
})

it('nothing is listed after an abort, not even what the same step found', async () => {
  const abort = new AbortController()
  const { list, names, steps } = listingOf({ signal: abort.signal })
  expect(await list(() => abort.abort(reason))).toBe(reason)
  expect(names).toEqual(['1:1'])
  expect(steps()).toBe(1)
})
