// Holds one lock and waits for another through an outage, without a listener to any event. Argument: the URL of Redis.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'

const holdfast = new Holdfast({ redis: process.argv[2], watchdogTimeoutMs: 600, commandTimeoutMs: 300 })
const held = await holdfast.getLock('no-listeners:held').lock()
const blocker = await holdfast.getLock('no-listeners:waited-for').lock()
void holdfast
  .getLock('no-listeners:waited-for')
  .lock()
  .then(() => tellParent({ type: 'got in' }))
await tellParent({ type: 'ready' })

await fromParent('outage')
const lossOf = ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve))
await Promise.all([lossOf(held), lossOf(blocker)])
const code = await holdfast
  .getLock('no-listeners:tried')
  .tryLock()
  .then(
    () => 'none',
    (error) => error.code,
  )
await tellParent({ type: 'felt it', code })

await fromParent('close')
await holdfast.close()
await tellParent({ type: 'closed' })
process.exit(0)
