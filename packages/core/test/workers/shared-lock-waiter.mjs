// Waits for one lock that is shared with Redisson, in a process of its own. Arguments: the URL of Redis, the lock.
import { Holdfast } from '@holdfast/core'
import { tellParent } from '@holdfast/testkit'

const [redis, name] = process.argv.slice(2)
const holdfast = new Holdfast({ redis, interop: 'redisson' })
holdfast.on('waiting', ({ owner }) => void tellParent({ type: 'waiting', owner }))
const lease = await holdfast.getLock(name).lock()
await tellParent({ type: 'acquired', owner: lease.owner })
