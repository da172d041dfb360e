import { linkedEngine } from '@holdfast/conformance'
import { Holdfast } from '@holdfast/core'
import { memory } from '../../src/memory/index.js'
import { until } from '@holdfast/testkit'

const store = memory()
const opened: Holdfast[] = []

function open(commandTimeoutMs = 1_000) {
  const linked = linkedEngine(store)
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
  const { commands } = store
  link.blackHole(way)
  await expect(lock.tryLock()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(store.commands > commands).toBe(isReached)
  link.heal()
  await lock.withLock(() => undefined)
})

it('a link that is cut fails what is in flight, and lets the next call through', async () => {
  const { lock, link } = open(10_000)
  await lock.isLocked()
  const { commands } = store
  link.blackHole('toClient')
  const isLocked = lock.isLocked()
  await until(() => store.commands > commands)
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
