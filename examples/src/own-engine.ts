// My locks should live in a store that Holdfast does not know. How do I write an engine for it?
import { Holdfast } from '@holdfast/core'
import { documentEngine } from './own-engine/document-engine.js'
import { DocumentTable } from './own-engine/document-store.js'

const engine = documentEngine(new DocumentTable())
await using alice = new Holdfast({ engine, label: 'Alice' })
await using bob = new Holdfast({ engine, label: 'Bob' })

const held = await alice.getLock('printer').lock()
console.log(`Bob tries once: ${(await bob.getLock('printer').tryLock()) ? 'a lease' : 'null'}`)
const { holder } = await bob.getLock('printer').inspect()
console.log(`The store says who holds it: ${holder?.client?.label ?? 'unknown'}`)

const waiting = bob.getLock('printer').withLock(async (lease) => {
  const depth = await bob.getLock('printer').withLock(({ holdCount }) => holdCount)
  console.log(`Bob is in, and in again: hold count ${depth}`)
  console.log(`His token is larger: ${lease.fencingToken > held.fencingToken}`)
})
await held.unlock()
await waiting

const lost = new Promise<string>((resolve) => bob.once('lost', ({ error }) => resolve(error.reason)))
const evicted = await bob.getLock('printer').lock()
await alice.getLock('printer').forceUnlock()
const anyoneElse = await alice.getLock('printer').tryLock()
console.log(`Alice evicts Bob and gets in: ${anyoneElse?.isHeld ?? false}`)
await evicted.unlock().catch(() => undefined)
console.log(`Bob learns why: ${await lost}`)
await anyoneElse?.unlock()
