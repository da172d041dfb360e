const { Holdfast } = require('@holdfast/core')
const { memory } = require('@holdfast/stores/memory')

it('runs one job at a time', async () => {
  const store = memory()
  const holdfast = new Holdfast({ engine: store })
  const lease = await holdfast.getLock('job').lock()
  expect(await holdfast.getLock('job').tryLock()).toBeNull()
  await lease.unlock()
  await holdfast.close()
  expect(store.leaks()).toEqual([])
})
