// A Holdfast client that shares its objects with Redisson. Driven by the same JSON lines as the Java peer, to the same effect.
import { createInterface } from 'node:readline'
import { Holdfast, HoldfastQuorum } from '@holdfast/core'
import { redisson } from '@holdfast/core/redisson'
import { nowMs } from '@holdfast/testkit/process'
import { Cluster, Redis } from 'ioredis'

let redis
let holdfast
/** Has permits with ids: a client has semaphores of one form. */
let withIds

const plainOf = ({ lock, fenced }) => (fenced ? holdfast.getFencedLock(lock) : holdfast.getLock(lock))

/** The members of a multi lock, as the Java peer reads them too. */
function memberOf(text) {
  const [name, form] = text.split('#')
  if (form === 'fenced') return holdfast.getFencedLock(name)
  return form ? holdfast.getReadWriteLock(name)[form] : holdfast.getLock(name)
}

const objects = {
  'read-lock': ({ lock }) => holdfast.getReadWriteLock(lock).read,
  'write-lock': ({ lock }) => holdfast.getReadWriteLock(lock).write,
  'multi-lock': ({ locks }) => holdfast.getMultiLock(locks.map(memberOf)),
}

const lockOf = (request) => (objects[request.object] ?? plainOf)(request)

/** The equivalent of a thread: makes its calls one after another, and re-enters what it holds. */
class Task {
  #last = Promise.resolve()
  #leases = new Map()

  run(call) {
    this.#last = this.#last.then(call, call)
    return this.#last
  }

  async enter(request, acquire) {
    const leases = this.#leasesOf(request)
    const askedAtMs = nowMs()
    const outer = this.#allOf(request).at(-1)
    const lease = outer ? await outer.run(acquire) : await acquire()
    const enteredAtMs = nowMs()
    if (!lease) return { entered: false, askedAtMs, refusedAtMs: enteredAtMs }
    leases.push(lease)
    const token = request.fenced ? { token: lease.fencingToken } : {}
    return { entered: true, askedAtMs, enteredAtMs, owner: lease.owner ?? '', ...token }
  }

  async unlock(request) {
    const leftAtMs = nowMs()
    const lease = this.newest(request)
    this.#leasesOf(request).pop()
    await lease.unlock()
    return { leftAtMs, releasedAtMs: nowMs() }
  }

  async look(request) {
    const lease = this.#leasesOf(request).at(-1)
    const handle = lockOf(request)
    return {
      isLocked: await handle.isLocked(),
      isHeld: lease?.isHeld ?? false,
      holdCount: lease?.isHeld ? lease.holdCount : 0,
      remainingMs: await handle.remainingMs(),
    }
  }

  newest(request) {
    const lease = this.#leasesOf(request).at(-1)
    if (lease) return lease
    throw Object.assign(new Error(`this task has not locked ${request.lock}`), { code: 'NOT_OWNER' })
  }

  /** Those on either side of a read/write lock. */
  #allOf({ lock, object }) {
    if (object !== 'read-lock' && object !== 'write-lock') return this.#leasesOf({ lock, object })
    return ['write-lock', 'read-lock'].flatMap((side) => this.#leasesOf({ lock, object: side }))
  }

  #leasesOf({ lock, object = 'lock' }) {
    const key = `${object} ${lock}`
    if (!this.#leases.has(key)) this.#leases.set(key, [])
    return this.#leases.get(key)
  }
}

function open({ mode, addresses, watchdogTimeoutMs }) {
  const nodes = addresses.map((address) => ({ host: new URL(address).hostname, port: new URL(address).port }))
  // Of several masters the first one has what cycles count.
  redis = mode === 'cluster' ? new Cluster(nodes) : new Redis(addresses[0])
  const masters = addresses.map((address) => ({ engine: redisson({ redis: address }) }))
  const openWith = (semaphores) =>
    new Holdfast({ engine: redisson({ redis, semaphores }), watchdogTimeoutMs })
  withIds = openWith('RPermitExpirableSemaphore')
  holdfast =
    mode === 'masters'
      ? new HoldfastQuorum({ masters, watchdogTimeoutMs, restartQuarantineMs: 0 })
      : openWith('RSemaphore')
  return { clientId: holdfast.clientId }
}

async function close() {
  await Promise.all([holdfast.close(), withIds.close()])
  redis.disconnect()
  return {}
}

async function untilLost(task, request) {
  const { signal } = task.newest(request)
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
    cycles.push({ owner: lease.owner ?? '', ...times, inside, ttlMs, ...token })
    return true
  }
  const work = async () => {
    while (await cycle());
  }
  await Promise.all(Array.from({ length: order.tasks }, work))
  return { cycles }
}

const semaphoreOf = ({ lock, object, size = 1_000 }) =>
  (object === 'RPermitExpirableSemaphore' ? withIds : holdfast).getSemaphore(lock, { permits: size })

/** The permits that a task has acquired last, by semaphore. */
const permitLeases = new WeakMap()

async function takePermits(task, request, acquire) {
  const lease = await acquire(semaphoreOf(request))
  if (!lease) return { entered: false }
  permitLeases.set(task, { ...permitLeases.get(task), [request.lock]: lease })
  return { entered: true, enteredAtMs: nowMs(), owner: lease.owner }
}

async function runPermitCycles(order) {
  const { section, permits, limit } = order
  const semaphore = semaphoreOf(order)
  const cycles = []
  const cycle = async () => {
    const askedAtMs = nowMs()
    const lease = await semaphore.acquire({ permits })
    const enteredAtMs = nowMs()
    const seen = await redis.eval(section.enter, section.keys.length, ...section.keys, permits)
    const [inside, made] = seen.split(' ').map(Number)
    cycles.push({ askedAtMs, enteredAtMs, inside })
    await redis.eval(section.leave, section.keys.length, ...section.keys, permits)
    await lease.release()
    return made < limit
  }
  const work = async () => {
    while (await cycle());
  }
  await Promise.all(Array.from({ length: order.tasks }, work))
  return { cycles }
}

/** Tasks that go through both sides of one lock, as the Java peer's do. */
async function runReadWriteCycles(order) {
  const { keys, enter, leave } = order.section
  const { read, write } = holdfast.getReadWriteLock(order.lock)
  const evaluate = (script, ...args) => redis.eval(script, keys.length, ...keys, ...args)
  const cycles = []
  let begun = 0
  const cycle = async (n) => {
    const writes = n % order.writeEvery === 0
    const downgrades = writes && Math.floor(n / order.writeEvery) % 2 === 1
    const side = writes ? 'write' : 'read'
    const askedAtMs = nowMs()
    const entered = await (writes ? write : read).lock()
    const enteredAtMs = nowMs()
    const [strangers, made, ttlMs] = (await evaluate(enter, side)).split(' ').map(Number)
    let last = entered
    if (downgrades) {
      last = await entered.run(() => read.lock())
      await evaluate(leave, 'write', 'read')
      await entered.unlock()
    }
    await evaluate(leave, downgrades ? 'read' : side, '')
    const leftAtMs = nowMs()
    await last.unlock()
    cycles.push({ side, askedAtMs, enteredAtMs, leftAtMs, strangers, ttlMs })
    return made < order.limit
  }
  const work = async () => {
    while (await cycle(begun++));
  }
  await Promise.all(Array.from({ length: order.tasks }, work))
  return { cycles }
}

const callsOnSemaphore = {
  acquire: (task, request) => {
    const { permits, leaseMs } = request
    return takePermits(task, request, (semaphore) => semaphore.acquire({ permits, leaseMs }))
  },
  tryAcquire: (task, request) => {
    const { permits, leaseMs, waitMs } = request
    return takePermits(task, request, (semaphore) => semaphore.tryAcquire({ permits, leaseMs, waitMs }))
  },
  release: async (task, { lock, permits }) => {
    const leftAtMs = nowMs()
    await permitLeases.get(task)[lock].release(permits)
    return { leftAtMs }
  },
  available: async (_, request) => ({ permits: await semaphoreOf(request).available() }),
  resize: async (_, request) => {
    await semaphoreOf(request).resize(request.permits)
    return {}
  },
  cycles: (_, order) => runPermitCycles(order),
}

const latchOf = ({ lock }) => holdfast.getCountDownLatch(lock)

const callsOnLatch = {
  trySetCount: async (_, request) => ({ done: await latchOf(request).trySetCount(request.permits) }),
  countDown: async (_, request) => {
    const leftAtMs = nowMs()
    await latchOf(request).countDown({ as: request.party })
    return { leftAtMs }
  },
  wait: async (_, request) => {
    const entered = await latchOf(request).tryWait({ waitMs: request.waitMs ?? Infinity })
    return { entered, enteredAtMs: nowMs() }
  },
  count: async (_, request) => ({ permits: await latchOf(request).count() }),
  delete: async (_, request) => ({ done: await latchOf(request).delete() }),
}

const waiting = () => ({ waiting: holdfast.stats().waiters + withIds.stats().waiters })
const callsOfClient = { open, close, waiting }
const callsOfTask = {
  lock: (task, request) => task.enter(request, () => lockOf(request).lock({ leaseMs: request.leaseMs })),
  tryLock: (task, request) => {
    const { waitMs, leaseMs } = request
    return task.enter(request, () => lockOf(request).tryLock({ waitMs, leaseMs }))
  },
  unlock: (task, request) => task.unlock(request),
  forceUnlock: async (_, request) => ({ forced: await lockOf(request).forceUnlock() }),
  look: (task, request) => task.look(request),
  untilLost,
  cycles: (_, order) => runCycles(order),
  readWriteCycles: (_, order) => runReadWriteCycles(order),
}

const callsByObject = {
  RSemaphore: callsOnSemaphore,
  RPermitExpirableSemaphore: callsOnSemaphore,
  RCountDownLatch: callsOnLatch,
}
const tasks = new Map()

function callOf(request) {
  const { op, task: name, object } = request
  if (name === undefined) return callsOfClient[op](request)
  if (!tasks.has(name)) tasks.set(name, new Task())
  const task = tasks.get(name)
  const calls = callsByObject[object] ?? callsOfTask
  return task.run(() => calls[op](task, request))
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
