// A process that takes the lock, is frozen by its parent, and continues as if nothing had happened.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { Redis } from 'ioredis'
import { FencedStore } from './store.js'

const { url, keyPrefix, watchdogTimeoutMs } = await fromParent('open')
const redis = new Redis(String(url), { keyPrefix: String(keyPrefix) })
const holdfast = new Holdfast({ redis, watchdogTimeoutMs: Number(watchdogTimeoutMs) })
const store = new FencedStore(redis, 'page')

const lease = await holdfast.getLock('page').lock()
await tellParent({ type: 'holds', fencingToken: lease.fencingToken })

await fromParent('write')
// A holder that checks first would stop here. This one writes without a check, like code in the middle of a step.
const isHeld = lease.isHeld
const accepted = await store.write(lease.fencingToken, 'from the process that was frozen')
await tellParent({ type: 'wrote', accepted, isHeld })
process.exit()
