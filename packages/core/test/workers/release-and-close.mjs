// Leaves a lock when it is told to, closes, and must then end by itself. Argument: the URL of Redis.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'

const holdfast = new Holdfast({ redis: process.argv[2], commandTimeoutMs: 300 })
holdfast.on('warning', ({ code }) => void tellParent({ type: 'warning', code }))
holdfast.on('error', () => undefined)
await holdfast.getLock(`release-and-close:${holdfast.clientId}`).withLock(async () => {
  await tellParent({ type: 'holding' })
  await fromParent('finish')
})
await holdfast.close()
// Only what Holdfast left open keeps this process alive now.
process.channel.unref()
