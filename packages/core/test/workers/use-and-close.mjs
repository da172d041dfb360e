// Uses locks in every way that opens something, closes, and must then end by itself. Argument: the URL of Redis.
import { Holdfast } from '@holdfast/core'

const holdfast = new Holdfast({ redis: process.argv[2] })
const lock = holdfast.getLock(`use-and-close:${holdfast.clientId}`)
const held = await lock.lock()
const waiting = lock.lock({ waitMs: 60_000, signal: new AbortController().signal })
await new Promise((resolve) => holdfast.once('waiting', resolve))
await held.unlock()
await (await waiting).unlock()
await lock.lock({ leaseMs: 60_000 })
const refused = lock.lock({ waitMs: 60_000 }).catch((error) => error)
await holdfast.close()
if ((await refused).code !== 'CLOSED') process.exitCode = 1
