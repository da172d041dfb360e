import { Holdfast } from '@holdfast/core'
import { memory } from '@holdfast/stores/memory'
import { runLong, type Step } from '../../src/cookbook/long-job.js'

let holdfast: Holdfast

beforeEach(() => {
  holdfast = new Holdfast({ engine: memory() })
  jest.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterEach(async () => {
  jest.restoreAllMocks()
  await holdfast.close()
})

const evict = async (): Promise<void> => {
  await holdfast.getLock('report').forceUnlock({ by: 'ada@ops' })
}

it('runs every step under the lock', async () => {
  const held: boolean[] = []
  const step: Step = () => Promise.resolve(void held.push(holdfast.getLock('report').isHeld()))
  expect(await runLong(holdfast, 'report', [step, step])).toBe(true)
  expect(held).toEqual([true, true])
})

it('begins no further step once the lock is lost, and says who took it', async () => {
  const ran: string[] = []
  const step =
    (name: string, work: () => Promise<void>): Step =>
    async () => {
      ran.push(name)
      await work()
    }
  const steps = [step('first', evict), step('second', () => Promise.resolve())]
  expect(await runLong(holdfast, 'report', steps)).toBe(false)
  expect(ran).toEqual(['first'])
  expect(console.error).toHaveBeenCalledWith(expect.stringMatching(/^report stopped: .*by ada@ops/))
})

it('has the caller get what a step fails with', async () => {
  const failed = new Error('no paper')
  await expect(runLong(holdfast, 'report', [() => Promise.reject(failed)])).rejects.toBe(failed)
})
