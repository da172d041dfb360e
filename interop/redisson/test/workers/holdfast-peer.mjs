// A Holdfast client in Redisson's mode. Driven by the same JSON lines as the Java peer, to the same effect.
import { createInterface } from 'node:readline'
import { Holdfast } from '@holdfast/core'
import { nowMs } from '@holdfast/testkit'
import { Cluster, Redis } from 'ioredis'

let redis
let holdfast

const lockOf = ({ lock, fenced }) => (fenced ? holdfast.getFencedLock(lock) : holdfast.getLock(lock))

/** The equivalent of a thread: makes its calls one after another, and re-enters what it holds. */
class Task {
  #last = Promise.resolve()
  #leases = new Map()

  run(call) {
    this.#last = this.#last.then(call, call)
    return this.#last
  }

  async enter(request, acquire) {
    const leases = this.#leasesOf(request.lock)
    const askedAtMs = nowMs()
    const outer = leases.at(-1)
    const lease = outer ? await outer.run(acquire) : await acquire()
    const enteredAtMs = nowMs()
    if (!lease) return { entered: false, askedAtMs, refusedAtMs: enteredAtMs }
    leases.push(lease)
    const token = request.fenced ? { token: lease.fencingToken } : {}
    return { entered: true, askedAtMs, enteredAtMs, owner: lease.owner, ...token }
  }

  async unlock({ lock }) {
    const leftAtMs = nowMs()
    const lease = this.newest(lock)
    this.#leasesOf(lock).pop()
    await lease.unlock()
    return { leftAtMs, releasedAtMs: nowMs() }
  }

  async look({ lock }) {
    const lease = this.#leasesOf(lock).at(-1)
    const handle = holdfast.getLock(lock)
    return {
      isLocked: await handle.isLocked(),
      isHeld: lease?.isHeld ?? false,
      holdCount: lease?.isHeld ? lease.holdCount : 0,
      remainingMs: await handle.remainingMs(),
    }
  }

  newest(lock) {
    const lease = this.#leasesOf(lock).at(-1)
    if (lease) return lease
    throw Object.assign(new Error(`this task has not locked ${lock}`), { code: 'NOT_OWNER' })
  }

  #leasesOf(lock) {
    if (!this.#leases.has(lock)) this.#leases.set(lock, [])
    return this.#leases.get(lock)
  }
}

function open({ mode, addresses, watchdogTimeoutMs }) {
  const nodes = addresses.map((address) => ({ host: new URL(address).hostname, port: new URL(address).port }))
  redis = mode === 'cluster' ? new Cluster(nodes) : new Redis(addresses[0])
  holdfast = new Holdfast({ redis, interop: 'redisson', watchdogTimeoutMs })
  return { clientId: holdfast.clientId }
}

async function close() {
  await holdfast.close()
  redis.disconnect()
  return {}
}

async function untilLost(task, { lock }) {
  const { signal } = task.newest(lock)
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  return { lostAtMs: nowMs(), reason: signal.reason.code }
}

/** Tasks that acquire and release one lock, until all clients together have made `limit` cycles. */
async function runCycles(order) {
  const { keys, enter, leave } = order.section
  const lock = lockOf(order)
  const cycles = []
  const cycle = async () => {
    const askedAtMs = nowMs()
    const lease = await lock.lock()
    const enteredAtMs = nowMs()
    const seen = await redis.eval(enter, keys.length, ...keys)
    const [inside, made, ttlMs] = seen.split(' ').map(Number)
    const isOver = made >= order.limit
    await redis.eval(leave, keys.length, ...keys, isOver ? made : made + 1)
    const leftAtMs = nowMs()
    await lease.unlock()
    if (isOver) return false
    const token = order.fenced ? { token: lease.fencingToken } : {}
    const times = { askedAtMs, enteredAtMs, leftAtMs, releasedAtMs: nowMs() }
    cycles.push({ owner: lease.owner, ...times, inside, ttlMs, ...token })
    return true
  }
  const work = async () => {
    while (await cycle());
  }
  await Promise.all(Array.from({ length: order.tasks }, work))
  return { cycles }
}

const callsOfClient = { open, close, waiting: () => ({ waiting: holdfast.stats().waiters }) }
const callsOfTask = {
  lock: (task, request) => task.enter(request, () => lockOf(request).lock({ leaseMs: request.leaseMs })),
  tryLock: (task, request) => {
    const { waitMs, leaseMs } = request
    return task.enter(request, () => lockOf(request).tryLock({ waitMs, leaseMs }))
  },
  unlock: (task, request) => task.unlock(request),
  forceUnlock: async (_, { lock }) => ({ forced: await holdfast.getLock(lock).forceUnlock() }),
  look: (task, request) => task.look(request),
  untilLost,
  cycles: (_, order) => runCycles(order),
}

const tasks = new Map()

function callOf(request) {
  const { op, task: name } = request
  if (name === undefined) return callsOfClient[op](request)
  if (!tasks.has(name)) tasks.set(name, new Task())
  const task = tasks.get(name)
  return task.run(() => callsOfTask[op](task, request))
}

async function reply(request) {
  try {
    return { ok: true, ...(await callOf(request)) }
  } catch (error) {
    return { ok: false, error: String(error.code ?? error.name), message: error.message }
  }
}

const lines = createInterface({ input: process.stdin })
lines.on('line', async (line) => {
  const request = JSON.parse(line)
  process.stdout.write(`${JSON.stringify({ id: request.id, ...(await reply(request)) })}\n`)
})
// The process that drove this one has ended.
lines.on('close', () => process.exit(0))
