import { Holdfast, type LocksOptions } from '@holdfast/core'
import { withOperator } from './support/with-operator.js'

let holdfast: Holdfast
let steps: number

/** Each step of a listing reaches two held locks, and there is always another. */
beforeEach(async () => {
  jest.useFakeTimers()
  steps = 0
  const engine = withOperator((_, { names }) => ({
    list: () => {
      steps += 1
      const found = [1, 2].map((n) => ({
        address: names.locate(`${steps}:${n}`, 'lock'),
        object: 'lock' as const,
      }))
      return Promise.resolve({ found, scanned: 2, total: 100, costMs: 1_000, next: String(steps) })
    },
  }))
  holdfast = new Holdfast({ engine })
  for (const name of ['1:1', '1:2', '2:1', '2:2']) await holdfast.getLock(name).lock()
})

afterEach(async () => {
  await holdfast.close()
  expect(jest.getTimerCount()).toBe(0)
  jest.useRealTimers()
})

/** Lists in the background. */
function listing(options: LocksOptions = {}, onName: (name: string) => void = () => undefined) {
  const names: string[] = []
  const list = async (): Promise<unknown> => {
    try {
      for await (const { name } of holdfast.locks(options)) {
        names.push(name)
        onName(name)
      }
      return 'ended'
    } catch (error) {
      return error
    }
  }
  return { names, outcome: list() }
}

const reason = new Error('changed my mind')

it('a listing takes no step and no rest after the object that reaches the limit', async () => {
  const timers = jest.getTimerCount()
  const { names, outcome } = listing({ limit: 2 })
  expect(await outcome).toBe('ended')
  expect(names).toEqual(['1:1', '1:2'])
  expect(steps).toBe(1)
  expect(jest.getTimerCount()).toBe(timers)
})

it('two iterations of one listing each list as many as the limit', async () => {
  const locks = holdfast.locks({ limit: 2 })
  const count = async (): Promise<number> => {
    let listed = 0
    for await (const { name } of locks) if (name !== '') listed += 1
    return listed
  }
  expect(await Promise.all([count(), count()])).toEqual([2, 2])
})

it('an abort ends the rest between two steps', async () => {
  const abort = new AbortController()
  const timers = jest.getTimerCount()
  const { names, outcome } = listing({ signal: abort.signal })
  await jest.advanceTimersByTimeAsync(1)
  expect(names).toHaveLength(2)
  expect(jest.getTimerCount()).toBe(timers + 1)
  abort.abort(reason)
  expect(await outcome).toBe(reason)
  expect(jest.getTimerCount()).toBe(timers)
})

it('so does close(), with ClosedError', async () => {
  const { names, outcome } = listing()
  await jest.advanceTimersByTimeAsync(1)
  expect(names).toHaveLength(2)
  await holdfast.close()
  expect(await outcome).toMatchObject({ code: 'CLOSED' })
})

it('nothing is listed after an abort, not even what the same step found', async () => {
  const abort = new AbortController()
  const { names, outcome } = listing({ signal: abort.signal }, () => abort.abort(reason))
  expect(await outcome).toBe(reason)
  expect(names).toEqual(['1:1'])
  expect(steps).toBe(1)
})
