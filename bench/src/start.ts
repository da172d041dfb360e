// A new process that imports a library on the first message, takes one lock, then some more, and reports how long all of it took. It
// imports nothing else before: ioredis would be loaded already.
import { once } from 'node:events'

const [title = '', url = '', cycles = '', ...modules] = process.argv.slice(2)
await once(process, 'message')

const beganAt = performance.now()
const cpuMs: number[] = []
for (const module of modules) {
  const before = process.cpuUsage()
  await import(module)
  const { user, system } = process.cpuUsage(before)
  cpuMs.push((user + system) / 1_000)
}
// Of the library alone, if it comes after the client that it uses.
const importCpuMs = cpuMs.slice(cpuMs.length > 1 ? 1 : 0).reduce((sum, each) => sum + each, 0)
const importMs = performance.now() - beganAt

const { contenderOf } = await import('./adapters/contenders.js')
const contender = contenderOf(title)
const openedAt = performance.now()
const session = await contender.open(url)
const leave = await session.enter('start-up')
const firstLockMs = performance.now() - openedAt
await leave()

const firstAt = performance.now()
for (let cycle = 0; cycle < Number(cycles); cycle += 1) await (await session.enter('start-up'))()
const firstCyclesUs = ((performance.now() - firstAt) * 1_000) / Number(cycles)

const { tellParent } = await import('@holdfast/testkit/process')
await tellParent({ type: 'started', importMs, importCpuMs, firstLockMs, firstCyclesUs })
