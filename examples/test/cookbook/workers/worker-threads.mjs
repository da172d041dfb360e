// A process that seals documents in threads. Environment: REDIS_URL, WATCHDOG_MS.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { seal } from '../../../dist/cookbook/worker-threads.js'

const holdfast = new Holdfast({
  redis: process.env.REDIS_URL,
  watchdogTimeoutMs: Number(process.env.WATCHDOG_MS ?? 30_000),
})
holdfast.on('waiting', ({ name }) => void tellParent({ type: 'waiting', name }))
holdfast.on('acquired', ({ name }) => void tellParent({ type: 'acquired', name }))
holdfast.on('renewed', ({ name }) => void tellParent({ type: 'renewed', name }))

await tellParent({ type: 'ready' })
for (;;) {
  const { document, rounds } = await fromParent('seal')
  void seal(holdfast, document, rounds).then(
    (hash) => tellParent({ type: 'sealed', document, hash }),
    (error) => tellParent({ type: 'failed', document, name: error.name }),
  )
}
