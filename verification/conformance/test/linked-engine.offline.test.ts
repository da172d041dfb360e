import { linkedEngine } from '@holdfast/conformance'
import { Holdfast } from '@holdfast/core'
import { until } from '../src/support/until.js'
import { trialEngine } from './support/trial-engine.js'
import { TrialStore } from './support/trial-store.js'

const store = new TrialStore()
const engine = trialEngine(store)
const opened: Holdfast[] = []

function open(commandTimeoutMs = 1_000) {
  const linked = linkedEngine(engine)
  const holdfast = new Holdfast({ engine: linked.engine, commandTimeoutMs })
  opened.push(holdfast)
  return { lock: holdfast.getLock('job'), link: linked.link }
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((holdfast) => holdfast.close()))
})

it.each([
  ['toStore', false],
  ['toClient', true],
] as const)('a link that swallows what goes %s lets the step reach the store: %p', async (way, isReached) => {
  const { lock, link } = open()
  await lock.isLocked()
  const { steps } = store
  link.blackHole(way)
  await expect(lock.tryLock()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(store.steps > steps).toBe(isReached)
  link.heal()
  await lock.withLock(() => undefined)
})

it('a link that is cut fails what is in flight, and lets the next call through', async () => {
  const { lock, link } = open(10_000)
  await lock.isLocked()
  const { steps } = store
  link.blackHole('toClient')
  const isLocked = lock.isLocked()
  await until(() => store.steps > steps)
  link.cut()
  link.heal()
  await expect(isLocked).rejects.toThrow('the connection broke')
  expect(await lock.isLocked()).toBe(false)
})

it('a reply that is lost leaves what the store has done', async () => {
  const { lock, link } = open()
  await lock.isLocked()
  const lost = link.loseNextReply()
  const [lease] = await Promise.all([lock.lock(), lost])
  expect((await lock.inspect()).holder?.holdCount).toBe(1)
  await lease.unlock()
})
