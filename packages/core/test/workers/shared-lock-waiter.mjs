// Waits for one lock that is shared with Redisson, in a process of its own. Arguments: the URL of Redis, the lock, for a
// read/write lock the side, options as JSON.
import { Holdfast } from '@holdfast/core'
import { redisson } from '@holdfast/core/redisson'
import { tellParent } from '@holdfast/testkit/process'

const [redis, name, side, options = '{}'] = process.argv.slice(2)
const holdfast = new Holdfast({ ...JSON.parse(options), engine: redisson({ redis }) })
const lock = side ? holdfast.getReadWriteLock(name)[side] : holdfast.getLock(name)
holdfast.on('waiting', ({ owner }) => void tellParent({ type: 'waiting', owner }))
const lease = await lock.lock()
lease.signal.addEventListener('abort', () => void tellParent({ type: 'lost' }))
await tellParent({ type: 'acquired', owner: lease.owner })
