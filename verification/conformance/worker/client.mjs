// A client in a process of its own, driven by messages. Arguments: the URL of the module that opens it, and as JSON what
// that module's `open` gets, its argument and the client's options; then what to take for a lock.

const [module, argument, options, subject] = process.argv.slice(2)
const { open } = await import(module)
const holdfast = await open(JSON.parse(argument), JSON.parse(options))

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

/** Sends the test a message. */
const tell = (message) => new Promise((resolve) => process.send(message, resolve))

/** What to do on a message, by its type. */
const acts = {
  lock: async ({ name, options: acquireOptions }) => {
    const lease = await lockOf(name).lock(acquireOptions)
    leases.push(lease)
    await tell({ type: 'acquired', owner: lease.owner, token: tokenOf(lease) })
  },
  acquire: async ({ name, permits }) => {
    const lease = await holdfast.getSemaphore(name, { permits }).acquire({ permits })
    await tell({ type: 'acquired', owner: lease.owner, token: 0 })
  },
  unlock: async () => {
    await leases.shift().unlock()
    await tell({ type: 'released' })
  },
  'is held': () => tell({ type: 'is held', isHeld: leases[0]?.isHeld ?? false }),
  waiters: () => tell({ type: 'waiters', waiters: holdfast.stats().waiters }),
  pass: async (order) => tell({ type: 'passed', entries: await passThrough(order) }),
}

await warmUp()
holdfast.on('waiting', ({ owner, position }) => void tell({ type: 'waiting', owner, position }))
process.on('message', (message) =>
  acts[message.type](message).catch((error) => tell({ type: 'failed', message: String(error) })),
)
// The test has ended, so this process has no purpose any more.
process.on('disconnect', () => process.exit(1))
await tell({ type: 'ready', clientId: holdfast.clientId })
