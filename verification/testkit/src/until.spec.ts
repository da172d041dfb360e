import { until } from './until.js'

it('returns the first truthy value', async () => {
  let looks = 0
  await expect(until(() => (looks += 1) > 2 && `after ${String(looks)}`)).resolves.toBe('after 3')
})

it('names what it waited for when it times out', async () => {
  await expect(until(() => false, { timeoutMs: 20, what: 'rain' })).rejects.toThrow('waited 20 ms for rain')
})

it('an error counts as not yet, and the last one is the cause', async () => {
  const error = await until(() => Promise.reject(new Error('down')), { timeoutMs: 20 }).catch(
    (failure: unknown) => failure,
  )
  expect(error).toMatchObject({ cause: new Error('down') })
})
