// Holds all three permits of a semaphore that is shared with Redisson, in a process of its own. Arguments: the URL of Redis, the
// semaphore, its form in Java, options as JSON.
import { Holdfast } from '@holdfast/core'
import { tellParent } from '@holdfast/testkit'

const [redis, name, java, options = '{}'] = process.argv.slice(2)
const holdfast = new Holdfast({ ...JSON.parse(options), redis, interop: 'redisson' })
const lease = await holdfast.getSemaphore(name, { permits: 3, java }).acquire({ permits: 3 })
lease.signal.addEventListener('abort', () => void tellParent({ type: 'lost' }))
await tellParent({ type: 'acquired', owner: lease.owner })
