// A process whose requests share a queue, or a pool. Environment: REDIS_URL.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { Redis } from 'ioredis'
import { once } from 'node:events'
import PQueue from 'p-queue'
import { makePool, through } from '../../../dist/cookbook/queue-packages.js'
import { makeShop } from '../../../dist/cookbook/queues.js'

const redis = new Redis(process.env.REDIS_URL)
const holdfast = new Holdfast({ redis })

let warnings = []
holdfast.on('warning', ({ code }) => warnings.push(code))

const unbound = (fn) => fn
const attached = (fn) => fn()
const cures = {
  none: { getLock: (name) => holdfast.getLock(name), bind: unbound, detached: attached },
  bind: {
    getLock: (name) => holdfast.getLock(name),
    bind: (fn) => holdfast.bind(fn),
    detached: (fn) => holdfast.detached(fn),
  },
  'reentrant: false': {
    getLock: (name) => holdfast.getLock(name, { reentrant: false }),
    bind: unbound,
    detached: attached,
  },
}

/** A promise, and what resolves it. */
function gate() {
  let open
  const opened = new Promise((resolve) => (open = resolve))
  return [opened, open]
}

/** Takes longer than the timers of any queue here. */
async function work() {
  const start = performance.now()
  while (performance.now() - start < 5) await redis.ping()
}

async function takeOne() {
  const left = Number(await redis.get('left'))
  await work()
  await redis.set('left', left - 1)
}

const takeMany = async (count) => {
  for (let i = 0; i < count; i++) await takeOne()
}
const times = (count, act) => Promise.all(Array.from({ length: count }, act))

/** One request holds the lock, has jobs queued, and after the first takes 8 units itself; 12 others queue a job each that takes one. */
async function inQueue(client, library) {
  const lock = client.getLock('stock')
  const submit = through[library](client.bind)
  const [holds, begin] = gate()
  const first = lock.withLock(async () => {
    const [worked, ready] = gate()
    void times(2, () => submit(() => work().then(ready)))
    begin()
    await worked
    await takeMany(8)
  })
  await holds
  await Promise.all([first, times(12, () => submit(() => lock.withLock(takeOne)))])
}

/** One request holds the lock until 20 jobs of others have run, which start in its hold; it takes nothing itself. */
async function onlyJobs(client, library) {
  const lock = client.getLock('stock')
  const submit = through[library](client.bind)
  const [holds, begin] = gate()
  const [done, end] = gate()
  const first = lock.withLock(async () => {
    void times(2, () => submit(work))
    begin()
    await done
  })
  await holds
  await times(20, () => submit(() => lock.withLock(takeOne)))
  end()
  await first
}

/** The shop of the cookbook: one order of ten, and while it is processed, ten orders in the background. */
async function inShop(client) {
  const [queued, allQueued] = gate()
  const [holds, begin] = gate()
  const queue = new PQueue({ concurrency: 1 })
  let added = 0
  queue.on('add', () => ++added === 11 && allQueued())
  const stock = {
    async takeOne() {
      await queued
      await takeOne()
    },
    async sendReceipt() {
      begin()
      await queued
    },
  }
  const server = makeShop(client, queue, stock).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const order = async (what) => {
    const url = `http://127.0.0.1:${server.address().port}/orders/${what}`
    const { status } = await fetch(url, { method: 'POST' })
    if (status !== 204) throw new Error(`${what}: ${status}`)
  }
  const first = order('10')
  await holds
  await Promise.all([first, times(10, () => order('in/background'))])
  server.close()
}

/** A request that holds the lock gives a broken connection back; the pool makes a new one, under the lock, for another request. */
async function inPool(client) {
  const lock = client.getLock('stock')
  let created = 0
  const create = async () => (created++ === 0 ? {} : lock.withLock(takeOne).then(() => ({})))
  const pool = makePool(client.bind, { create, destroy: async () => undefined })
  const broken = await pool.acquire()
  const next = pool.acquire()
  await lock.withLock(async () => {
    void pool.destroy(broken)
    await takeMany(19)
  })
  await pool.release(await next)
  await pool.drain()
}

const plays = { inQueue, onlyJobs, inShop, inPool }

await tellParent({ type: 'ready' })
for (;;) {
  const { play, library, cure } = await fromParent('play')
  warnings = []
  await redis.set('left', 20)
  await plays[play](cures[cure], library)
  await tellParent({ type: 'took', took: 20 - Number(await redis.get('left')), warnings })
}
