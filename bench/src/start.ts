// A new process that imports a library on the first message, takes one lock, and reports how long both took. It imports
// nothing else before: ioredis would be loaded already.
import { once } from 'node:events'

const [title = '', url = '', ...modules] = process.argv.slice(2)
await once(process, 'message')

const beganAt = performance.now()
for (const module of modules) await import(module)
const importMs = performance.now() - beganAt

const { contenderOf } = await import('./adapters/contenders.js')
const contender = contenderOf(title)
const openedAt = performance.now()
const session = await contender.open(url)
const leave = await session.enter('start-up')
const firstLockMs = performance.now() - openedAt

await leave()
const { tellParent } = await import('@holdfast/testkit/process')
await tellParent({ type: 'started', importMs, firstLockMs })
