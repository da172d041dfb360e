// Waits for a lock on a Redis that is not there, and reports the warnings of the process. Arguments: the URL of Redis, and
// whether to listen to errors.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'

process.on('warning', ({ code, message }) => void tellParent({ type: 'warning', code, message }))
const [url, listens] = process.argv.slice(2)
const holdfast = new Holdfast({ redis: url })
if (listens) holdfast.on('error', ({ message }) => void tellParent({ type: 'error', message }))
const waiting = holdfast.getLock('unreachable').lock()
waiting.catch(() => undefined)

await fromParent('close')
await holdfast.close()
await tellParent({ type: 'closed' })
process.exit(0)
