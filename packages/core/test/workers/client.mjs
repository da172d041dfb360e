// A client in a process of its own, told what to do by messages. Arguments: the URL of Redis, options as JSON.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'

const [redis, options] = process.argv.slice(2)
const holdfast = new Holdfast({ ...JSON.parse(options), redis })

/** Returns once a release has handed this client a lock: from then on its inbox is heard, and scripts are loaded. */
async function warmUp() {
  const lock = holdfast.getLock(`warm-up:${holdfast.clientId}`)
  let isGranted = false
  holdfast.once('granted', () => {
    isGranted = true
  })
  while (!isGranted) {
    const first = await lock.lock()
    const waiting = new Promise((resolve) => holdfast.once('waiting', resolve))
    const second = lock.lock()
    await waiting
    await first.unlock()
    await (await second).unlock()
  }
}

const leases = []

async function serve(type, act) {
  for (;;) {
    const message = await fromParent(type)
    void act(message).catch((error) => tellParent({ type: 'failed', message: String(error) }))
  }
}

await warmUp()
holdfast.on('waiting', ({ owner, position }) => void tellParent({ type: 'waiting', owner, position }))
void serve('lock', async ({ name, options }) => {
  const lease = await holdfast.getLock(name).lock(options)
  leases.push(lease)
  await tellParent({ type: 'acquired', owner: lease.owner, token: lease.fencingToken })
})
void serve('unlock', async () => {
  await leases.shift().unlock()
  await tellParent({ type: 'released' })
})
await tellParent({ type: 'ready', clientId: holdfast.clientId })
