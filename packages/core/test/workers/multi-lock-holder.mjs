// A holder of a multi lock in a process of its own. Arguments: the URL of Redis, options as JSON, the names of the locks.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'

const [redis, options, ...names] = process.argv.slice(2)
const holdfast = new Holdfast({ ...JSON.parse(options), redis })
await holdfast.getMultiLock(names).withLock(() => undefined)
holdfast.on('waiting', ({ name }) => void tellParent({ type: 'waiting', name }))
await tellParent({ type: 'ready' })

await fromParent('lock')
const lease = await holdfast.getMultiLock(names).lock()
lease.signal.addEventListener('abort', () => {
  void tellParent({ type: 'lost', reason: lease.signal.reason.reason, isHeld: lease.isHeld })
})
await tellParent({
  type: 'acquired',
  isHeld: lease.isHeld,
  tokens: names.map((name) => lease.fencingToken(name)),
})

await fromParent('unlock')
const outcome = await lease.unlock().then(
  () => 'released',
  (error) => error.code,
)
await holdfast.close()
await tellParent({ type: 'unlocked', outcome })
