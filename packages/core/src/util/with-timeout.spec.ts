import { withTimeout, timedOut } from './timeouts.js'

const never = new Promise<string>(() => undefined)
/** A promise that is fulfilled after so many milliseconds of the fake clock. */
const after = (ms: number): Promise<string> => new Promise((resolve) => setTimeout(() => resolve('done'), ms))

beforeEach(() => jest.useFakeTimers())

afterEach(() => {
  expect(jest.getTimerCount()).toBe(0)
  jest.useRealTimers()
})

it('resolves as the work does when that is in time', async () => {
  const result = withTimeout(after(99), 100, undefined)
  await jest.advanceTimersByTimeAsync(99)
  await expect(result).resolves.toBe('done')
})

it('reports that time ran out, at the bound', async () => {
  const onResult = jest.fn()
  void withTimeout(never, 100, undefined).then(onResult)
  await jest.advanceTimersByTimeAsync(99)
  expect(onResult).not.toHaveBeenCalled()
  // One turn of the event loop later, in which a late reply could still be read.
  await jest.advanceTimersByTimeAsync(2)
  expect(onResult).toHaveBeenCalledWith(timedOut)
})

it('waits as long as it takes without a bound', async () => {
  const result = withTimeout(after(1_000_000), Infinity, undefined)
  await jest.advanceTimersByTimeAsync(1_000_000)
  await expect(result).resolves.toBe('done')
})

it('rejects with the error of the work', async () => {
  await expect(withTimeout(Promise.reject(new Error('broken')), 100, undefined)).rejects.toThrow('broken')
})

it.each([100, Infinity])('rejects with the reason of the signal, bound %d', async (ms) => {
  const abort = new AbortController()
  const reason = { why: 'no longer wanted' }
  const result = withTimeout(never, ms, abort.signal)
  abort.abort(reason)
  await expect(result).rejects.toBe(reason)
})

it('rejects at once when the signal had aborted before', async () => {
  await expect(withTimeout(Promise.resolve('done'), 100, AbortSignal.abort('too late'))).rejects.toBe(
    'too late',
  )
})

it.each([
  ['done', () => Promise.resolve('done'), 100],
  ['late', () => never, 100],
  ['done without a bound', () => Promise.resolve('done'), Infinity],
] as const)('takes its listener off the signal when the work is %s', async (_, work, ms) => {
  const { signal } = new AbortController()
  const added = jest.spyOn(signal, 'addEventListener')
  const removed = jest.spyOn(signal, 'removeEventListener')
  const result = withTimeout(work(), ms, signal)
  await jest.advanceTimersByTimeAsync(101)
  await result
  expect(added).toHaveBeenCalledTimes(1)
  expect(removed).toHaveBeenCalledWith('abort', added.mock.calls[0]?.[1])
})
