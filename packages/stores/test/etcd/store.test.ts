import { UnavailableError } from '@holdfast/core'
import type { Queue } from '@holdfast/stores/sessions'
import { startEtcd, startProxy, uniqueName, until, type EtcdServer } from '@holdfast/testkit'
import { Client } from '../../src/etcd/client/client.js'
import { NoReplyError } from '../../src/etcd/client/failures.js'
import { failureOf } from './support/clients.js'
import { Gateway } from './support/gateway.js'
import { BareStore, timeoutMs } from './support/stores.js'

let server: EtcdServer
let gateway: Gateway
let queue: Queue
const opened: BareStore[] = []

beforeAll(async () => {
  server = await startEtcd()
  gateway = new Gateway(server.url)
})

beforeEach(() => {
  queue = { name: uniqueName('store'), object: 'lock' }
})

afterEach(async () => {
  jest.restoreAllMocks()
  await Promise.all(opened.splice(0).map(({ store }) => store.close()))
})

afterAll(() => server.stop())

async function open(sessionTimeoutMs?: number): Promise<BareStore> {
  const bare = await BareStore.open({ hosts: [server.url], ...(sessionTimeoutMs && { sessionTimeoutMs }) })
  opened.push(bare)
  return bare
}

/** The next request gets no reply, and is carried out only when the returned function is called. */
function holdNextRequest(): () => Promise<unknown> {
  let runLate: (() => Promise<unknown>) | undefined
  jest.spyOn(Client.prototype, 'call').mockImplementationOnce(function (this: Client, ...request) {
    runLate = () => this.call(...request)
    return Promise.reject(new NoReplyError('lost'))
  })
  return () => runLate?.() ?? Promise.reject(new Error('nothing was sent'))
}

describe('requests that run late', () => {
  it('do not bring an owner in that was looked for and not found', async () => {
    const bare = await open()
    const runLate = holdNextRequest()
    expect(await failureOf(bare.enter(queue, 1))).toBeInstanceOf(UnavailableError)
    expect(await bare.store.find(queue, bare.owner(1), timeoutMs)).toBeNull()
    await runLate()
    expect(await bare.ownersIn(queue)).toEqual([])
    // One that is sent after the search is no late one.
    expect(await bare.enter(queue, 1)).not.toBeNull()
  })

  it('do not bring an owner in that was barred', async () => {
    const bare = await open()
    const runLate = holdNextRequest()
    expect(await failureOf(bare.enter(queue, 1))).toBeInstanceOf(UnavailableError)
    await bare.store.bar(queue, bare.owner(1), 60_000, timeoutMs)
    await runLate()
    expect(await bare.enter(queue, 1)).toBeNull()
    expect(await bare.ownersIn(queue)).toEqual([])
  })

  it('do not keep an owner out for good if they looked for it, as it may look again', async () => {
    const bare = await open()
    const runLate = holdNextRequest()
    const find = () => bare.store.find(queue, bare.owner(1), timeoutMs)
    expect(await failureOf(find())).toBeInstanceOf(UnavailableError)
    expect(await find()).toBeNull()
    await runLate()
    expect(await failureOf(bare.enter(queue, 1))).toBeInstanceOf(UnavailableError)
    expect(await find()).toBeNull()
    expect(await bare.enter(queue, 1)).not.toBeNull()
  })

  it('do not undo what was written since', async () => {
    const bare = await open()
    const semaphore: Queue = { ...queue, object: 'semaphore' }
    const entry = await bare.entered(semaphore, 1, 5)
    const runLate = holdNextRequest()
    expect(await failureOf(bare.store.shrink(entry, 4, timeoutMs))).toBeInstanceOf(UnavailableError)
    await bare.store.shrink(entry, 2, timeoutMs)
    await runLate()
    const { entries } = await bare.store.list(semaphore, timeoutMs)
    expect(entries).toMatchObject([{ permits: 2, key: entry.key }])
  })

  it('do not remove what the same owner made since', async () => {
    const bare = await open()
    const entry = await bare.entered(queue, 1)
    const runLate = holdNextRequest()
    expect(await failureOf(bare.store.remove(entry, timeoutMs))).toBeInstanceOf(UnavailableError)
    await bare.store.remove(entry, timeoutMs)
    const again = await bare.entered(queue, 1)
    await runLate()
    expect(again.key).not.toBe(entry.key)
    expect(await bare.ownersIn(queue)).toEqual([bare.owner(1)])
  })
})

describe('a session', () => {
  it('ends when etcd says that its lease is gone, and another begins', async () => {
    const bare = await open()
    const { session } = bare.store
    await bare.entered(queue, 1)
    await gateway.revoke(session)
    const failed = await failureOf(bare.enter(queue, 2))
    expect(failed).toBeInstanceOf(UnavailableError)
    expect(String(failed)).toContain('the session at etcd has ended')
    await until(() => bare.store.session !== '')
    expect(bare.store.session).not.toBe(session)
    expect(bare.events).toEqual(['connected', `ended ${session}, now ''`, 'connected'])
    expect((await bare.entered(queue, 2)).session).toBe(bare.store.session)
  })

  it('ends when a renewal finds it gone, with all that it had', async () => {
    const bare = await open()
    const { session } = bare.store
    const entry = await bare.entered(queue, 1)
    await gateway.revoke(session)
    expect(await bare.store.prove([entry], timeoutMs)).toEqual([false])
    expect(bare.store.session).not.toBe(session)
    expect(bare.store.provenAt).toBeGreaterThan(0)
  })

  it('does not go on without a proof for its length, even if its lease lives, and leaves nothing', async () => {
    const bare = await open(2_000)
    const { session } = bare.store
    const entry = await bare.entered(queue, 1)
    bare.aheadMs = 2_000
    expect(await bare.store.prove([entry], timeoutMs)).toEqual([false])
    expect(bare.events).toContain(`ended ${session}, now ''`)
    expect(bare.store.session).not.toBe(session)
    await until(async () => (await bare.ownersIn(queue)).length === 0, { timeoutMs: 1_500 })
  })

  it('does not take an entry of an earlier one for its own', async () => {
    const bare = await open(2_000)
    const old = await bare.entered(queue, 1)
    bare.aheadMs = 2_000
    await bare.store.prove([], timeoutMs)
    const own = await bare.entered(queue, 1)
    expect(own.key).not.toBe(old.key)
    expect(own.session).toBe(bare.store.session)
    expect(await bare.store.update(old, { count: 2, leaseMs: 0 }, timeoutMs)).toBe(false)
  })

  it('lasts as long as it is to, though etcd rounds up', async () => {
    const bare = await open(2_300)
    expect(bare.store.sessionMs).toBe(2_300)
    await bare.store.prove([await bare.entered(queue, 1)], timeoutMs)
    expect(bare.store.sessionMs).toBe(2_300)
  })

  it('ends with its client, with all that it had', async () => {
    const [bare, other] = [await open(), await open()]
    await bare.entered(queue, 1)
    await bare.store.close()
    expect(await other.ownersIn(queue)).toEqual([])
    expect(await other.store.client(bare.clientId, timeoutMs)).toBeNull()
  })
})

describe('a watch', () => {
  it('reports what happened between the listing and it', async () => {
    const [bare, other] = [await open(), await open()]
    await other.entered(queue, 1)
    const { listing } = (await bare.enter(queue, 1)) ?? {}
    const [ahead] = listing?.entries ?? []
    if (!ahead) throw new Error('nothing ahead')
    await other.store.remove(ahead, timeoutMs)
    // It has seen later revisions since.
    await bare.entered({ ...queue, name: `${queue.name}:other` }, 2)
    await new Promise<void>((resolve) => void bare.store.whenGone(ahead, resolve, timeoutMs))
  })

  it('reports what was compacted before it, and nothing of what is still there', async () => {
    const [bare, other] = [await open(), await open()]
    const [gone, kept] = [await other.entered(queue, 1), await other.entered(queue, 2)]
    await other.store.remove(gone, timeoutMs)
    await gateway.compact()
    let reports = 0
    await bare.store.whenGone(kept, () => (reports += 1), timeoutMs)
    await new Promise<void>((resolve) => void bare.store.whenGone(gone, resolve, timeoutMs))
    expect(reports).toBe(0)
    expect(bare.errors).toEqual([])
  })

  it('goes on after its connection broke', async () => {
    const [bare, other] = [await open(), await open()]
    const ahead = await other.entered(queue, 1)
    let gone = 0
    await bare.store.whenGone(ahead, () => (gone += 1), timeoutMs)
    await server.restart()
    await until(() => bare.store.isUp && other.store.isUp)
    await other.store.remove(ahead, timeoutMs)
    await until(() => gone > 0)
    expect(gone).toBe(1)
  })

  it('of a mark is not fired by a note', async () => {
    const bare = await open()
    const semaphore: Queue = { ...queue, object: 'semaphore' }
    const entry = await bare.entered(semaphore, 1)
    let marks = 0
    await bare.store.whenMarked(entry, () => (marks += 1), timeoutMs)
    let changes = 0
    await bare.store.whenChanged(semaphore, () => (changes += 1), timeoutMs)
    await bare.store.update(entry, { count: 1, leaseMs: 5 }, timeoutMs)
    await until(() => changes === 1)
    expect(marks).toBe(0)
    await bare.store.mark(entry, timeoutMs)
    await until(() => marks === 1)
    const [seen] = (await bare.store.list(semaphore, timeoutMs)).entries
    if (!seen) throw new Error('it is gone')
    await new Promise<void>((resolve) => void bare.store.whenMarked(seen, resolve, timeoutMs))
  })
})

it('makes a client known again whose entry was deleted', async () => {
  const bare = await open(2_000)
  await gateway.delete(`holdfast/clients/${bare.clientId}`)
  expect(await bare.store.client(bare.clientId, timeoutMs)).toBeNull()
  await bare.store.prove([], timeoutMs)
  expect(await bare.store.client(bare.clientId, timeoutMs)).toMatchObject({ host: 'here', pid: 1 })
})

it('looks up more holds than fit into one transaction, and finds those that are gone', async () => {
  const bare = await open()
  const entries = await Promise.all(
    Array.from({ length: 300 }, (_, n) => bare.entered({ ...queue, name: `${queue.name}:${n}` }, n)),
  )
  await Promise.all(entries.filter((_, n) => n % 7 === 0).map((entry) => bare.store.remove(entry, timeoutMs)))
  for (const count of [0, 1, 128, 129, 300]) {
    const asked = entries.slice(0, count)
    expect(await bare.store.prove(asked, timeoutMs)).toEqual(asked.map((_, n) => n % 7 !== 0))
  }
})

it('delivers messages and evictions, also those that were written while nothing was watched', async () => {
  const [bare, other] = [await open(), await open()]
  const entry = await bare.entered(queue, 1)
  await server.restart()
  await until(() => other.store.isUp)
  expect(await other.store.operator.send([bare.clientId, 'nobody'], 'hello', timeoutMs)).toEqual([
    true,
    false,
  ])
  expect(await other.store.evict(entry, timeoutMs)).toBe(true)
  await until(() => bare.events.includes('message hello') && bare.events.includes(`evicted ${bare.owner(1)}`))
  await until(async () => (await gateway.keys('holdfast/inbox/')).length === 0)
})

it('finds what was written to it while it was away, and compacted since', async () => {
  await using proxy = await startProxy(server, 'etcd')
  const other = await open()
  const bare = await BareStore.open({ hosts: [`http://${proxy.host}:${proxy.port}`] })
  opened.push(bare)
  await proxy.refuse()
  proxy.cut()
  await until(() => !bare.store.isUp)
  await other.store.operator.send([bare.clientId], 'hello', timeoutMs)
  await gateway.compact()
  await proxy.accept()
  await until(() => bare.events.includes('message hello'), { timeoutMs: 10_000 })
})
