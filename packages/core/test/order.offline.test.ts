import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Holdfast, type HoldfastEvents } from '@holdfast/core'
import { memory, type MemoryStore } from '@holdfast/stores/memory'

const phases = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const
const operations = ['acquire', 'hold', 'renew', 'release'] as const
const points = ['granted', 'lost', 'revoked'] as const
const events = ['waiting', 'granted', 'acquired', 'renewed', 'released', 'lost', 'opened'] as const

let store: MemoryStore
let ann: Holdfast
let bob: Holdfast
/** What users got, in the order in which they got it. */
let seen: string[]
let stop: (() => void)[]

function listen(name: string, note: (message: unknown) => void): void {
  subscribe(name, note)
  stop.push(() => unsubscribe(name, note))
}

function listenTo(client: Holdfast, who: string, event: keyof HoldfastEvents): void {
  client.on(event, () => seen.push(`${who}: ${event}`))
}

beforeEach(() => {
  store = memory()
  ann = new Holdfast({ engine: store })
  bob = new Holdfast({ engine: store })
  seen = []
  stop = []
})

afterEach(async () => {
  for (const each of stop) each()
  await Promise.all([ann.close(), bob.close()])
  expect(store.leaks()).toEqual([])
})

/** From now on all is noted, with whose it is. */
function observe(): void {
  const who = (message: unknown): string =>
    (message as { clientId: string }).clientId === ann.clientId ? 'Ann' : 'Bob'
  for (const operation of operations)
    for (const phase of phases)
      listen(`tracing:holdfast:${operation}:${phase}`, (message) =>
        seen.push(`${who(message)} on channels: ${operation}:${phase}`),
      )
  for (const point of points)
    listen(`holdfast:${point}`, (message) => seen.push(`${who(message)} on channels: ${point}`))
  for (const event of events) {
    listenTo(ann, 'Ann', event)
    listenTo(bob, 'Bob', event)
  }
}

/** Runs it, and returns what was seen of one client meanwhile. */
async function seenOf(who: 'Ann' | 'Bob', run: () => Promise<unknown>): Promise<string[]> {
  seen.length = 0
  await run()
  return seen.filter((each) => each.startsWith(who)).map((each) => each.slice(who.length + 1).trim())
}

const note = (what: string) => (): void => {
  seen.push(what)
}

const next = (client: Holdfast, event: keyof HoldfastEvents): Promise<void> =>
  new Promise((resolve) => client.once(event, () => resolve()))

const acquired = ['on channels: hold:start', 'on channels: hold:end', 'acquired']
const acquiredByCall = ['on channels: acquire:asyncStart', 'on channels: acquire:asyncEnd']
const requested = ['on channels: acquire:start', 'on channels: acquire:end']
const released = [
  'on channels: release:start',
  'on channels: release:end',
  'on channels: release:asyncStart',
  'on channels: release:asyncEnd',
  'on channels: hold:asyncStart',
  'on channels: hold:asyncEnd',
  'released',
]

describe('what users get comes in this order', () => {
  it('of a free lock: the hold, acquired, the callback, the release, released, the result', async () => {
    await ann.getLock('order').withLock(() => undefined)
    observe()
    const order = await seenOf('Ann', () =>
      ann.getLock('order').withLock(note('Ann: callback')).then(note('Ann: result')),
    )
    expect(order).toEqual([...requested, ...acquired, ...acquiredByCall, 'callback', ...released, 'result'])
  })

  it('of a grant: waiting, granted on channels and as an event, the hold, acquired, the lease', async () => {
    const held = await ann.getLock('order').lock()
    observe()
    const order = await seenOf('Bob', async () => {
      const waiting = next(bob, 'waiting')
      const lock = bob.getLock('order').lock()
      const got = lock.then(note('Bob: lease'))
      await waiting
      await held.unlock()
      await got
      seen.push('Bob: unlock')
      await (await lock).unlock()
    })
    const granted = ['on channels: granted', 'granted']
    const got = [...acquired, ...acquiredByCall, 'lease', 'unlock']
    expect(order).toEqual([...requested, 'waiting', ...granted, ...got, ...released])
  })

  it('of a loss: the end of the hold, the signal, lost on channels and as an event, then those who wait in it', async () => {
    observe()
    const lease = await ann.getLock('order').lock()
    lease.signal.addEventListener('abort', note('Ann: signal'))
    const order = await seenOf('Ann', async () => {
      const lost = next(ann, 'lost')
      const first = lease.run(async () => {
        await lost
        seen.push('Ann: callback')
      })
      const second = lease.run(() => undefined).catch(note('Ann: next callback is refused'))
      await ann.getLock('order').forceUnlock()
      await Promise.all([first, second])
      await lease.unlock().catch(note('Ann: unlock is refused'))
    })
    expect(order.filter((each) => !each.includes('renew:'))).toEqual([
      'on channels: hold:error',
      'on channels: hold:asyncStart',
      'on channels: hold:asyncEnd',
      'signal',
      'on channels: lost',
      'on channels: revoked',
      'lost',
      'callback',
      'next callback is refused',
      'unlock is refused',
    ])
  })

  it('of a latch: opened, once, and then all who waited for it', async () => {
    const latch = ann.getCountDownLatch('order')
    await latch.trySetCount(1)
    observe()
    const order = await seenOf('Ann', async () => {
      const waiting = next(ann, 'waiting')
      const waits = [1, 2].map((i) => latch.wait().then(note(`Ann: wait ${i}`)))
      await waiting
      await bob.getCountDownLatch('order').countDown()
      await Promise.all(waits)
    })
    const waits = ['waiting', 'waiting', 'opened']
    const ended = [...acquiredByCall, ...acquiredByCall, 'wait 1', 'wait 2']
    expect(order).toEqual([...requested, ...requested, ...waits, ...ended])
  })
})
