// A client in a process of its own, driven by messages. Arguments: the URL of the module that opens it, and as JSON what
// that module's `open` gets, its argument and the client's options; then what to take for a lock.
import { fromParent, tellParent } from '@holdfast/testkit'

const [module, argument, options, subject] = process.argv.slice(2)
const { open } = await import(module)
const holdfast = open(JSON.parse(argument), JSON.parse(options))

const lockOf = (name) =>
  subject === 'write-lock' ? holdfast.getReadWriteLock(name).write : holdfast.getLock(name)

/** The fencing token; 0 where the engine has none. */
function tokenOf(lease) {
  try {
    return lease.fencingToken
  } catch {
    return 0
  }
}

/** One hand-off inside this client: from then on its connections are up, and notifications reach it. */
async function warmUp() {
  const lock = lockOf(`warm-up/${holdfast.clientId}`)
  const first = await lock.lock()
  const isWaiting = new Promise((resolve) => holdfast.once('waiting', resolve))
  const second = lock.lock()
  await isWaiting
  await first.unlock()
  await (await second).unlock()
}

/** Any number of waiters at once, each of which leaves as soon as it is in. */
async function passThrough({ name, count }) {
  const lock = lockOf(name)
  const entries = []
  const pass = async () => {
    const lease = await lock.lock()
    entries.push({ owner: lease.owner, token: tokenOf(lease) })
    await lease.unlock()
  }
  await Promise.all(Array.from({ length: count }, pass))
  return entries
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
void serve('lock', async ({ name, options: acquireOptions }) => {
  const lease = await lockOf(name).lock(acquireOptions)
  leases.push(lease)
  await tellParent({ type: 'acquired', owner: lease.owner, token: tokenOf(lease) })
})
void serve('acquire', async ({ name, permits }) => {
  const lease = await holdfast.getSemaphore(name, { permits }).acquire({ permits })
  await tellParent({ type: 'acquired', owner: lease.owner, token: 0 })
})
void serve('unlock', async () => {
  await leases.shift().unlock()
  await tellParent({ type: 'released' })
})
void serve('is held', () => tellParent({ type: 'is held', isHeld: leases[0]?.isHeld ?? false }))
void serve('waiters', () => tellParent({ type: 'waiters', waiters: holdfast.stats().waiters }))
void serve('pass', async (order) => tellParent({ type: 'passed', entries: await passThrough(order) }))
await tellParent({ type: 'ready', clientId: holdfast.clientId })
