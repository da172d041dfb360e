import { Holdfast } from '@holdfast/core'
import { until, type Worker } from '@holdfast/testkit'
import { useApps } from './use-apps.js'

const apps = useApps()
let holdfast: Holdfast

beforeEach(() => {
  holdfast = new Holdfast({ redis: apps.redis.url })
})
afterEach(() => holdfast.close())

interface Instance {
  readonly app: Worker
  ship(order: string, signal?: AbortSignal): Promise<Response>
}

async function start(framework: string, waitMs: number): Promise<Instance> {
  const app = await apps.start('http', { FRAMEWORK: framework, WAIT_MS: String(waitMs) })
  const ready = app.messages.find(({ type }) => type === 'ready')
  const url = `http://127.0.0.1:${Number(ready?.['port'])}`
  return {
    app,
    ship: (order, signal = AbortSignal.timeout(20_000)) =>
      fetch(`${url}/orders/${order}/ship`, { method: 'POST', signal }),
  }
}

const began = ({ app }: Instance): unknown[] =>
  app.messages.filter(({ type }) => type === 'began').map((message) => message['id'])

describe.each(['express', 'fastify'])('%s', (framework) => {
  it('two instances process one request per order at a time, and other orders beside it', async () => {
    const [a, b] = [await start(framework, 2_000), await start(framework, 2_000)]
    const first = a.ship('1')
    await a.app.waitFor('began')
    const refused = await b.ship('1')
    expect(refused.status).toBe(409)
    expect(refused.headers.get('Retry-After')).toBe('1')
    const other = b.ship('2')
    await b.app.waitFor('began')
    expect(began(b)).toEqual(['2'])
    for (const { app } of [a, b]) await app.send({ type: 'finish' })
    expect(await (await first).json()).toEqual({ parcel: 'parcel of 1' })
    expect(await (await other).json()).toEqual({ parcel: 'parcel of 2' })
  })

  it('a client that disconnects leaves the queue, and its request is never processed', async () => {
    const [a, b] = [await start(framework, 20_000), await start(framework, 20_000)]
    const first = a.ship('1')
    await a.app.waitFor('began')
    const client = new AbortController()
    const abandoned = b.ship('1', client.signal).catch(() => 'disconnected')
    await b.app.waitFor('waiting')
    client.abort()
    expect(await abandoned).toBe('disconnected')
    const lock = holdfast.getLock('order:1')
    await until(async () => (await lock.inspect()).waiterCount === 0, { what: 'the queue to be empty' })
    await a.app.send({ type: 'finish' })
    expect((await first).status).toBe(200)
    expect(began(b)).toEqual([])
  })

  it('the lock is free when the response arrives', async () => {
    const a = await start(framework, 2_000)
    const first = a.ship('1')
    await a.app.send({ type: 'finish' })
    expect((await first).status).toBe(200)
    expect(await holdfast.getLock('order:1').isLocked()).toBe(false)
  })

  it('answers 503 with Retry-After while Redis is unreachable, and recovers', async () => {
    const a = await start(framework, 2_000)
    await apps.redis.kill()
    const refused = await a.ship('1')
    await apps.redis.restart()
    expect(refused.status).toBe(503)
    expect(refused.headers.get('Retry-After')).toBe('5')
    await a.app.send({ type: 'finish' })
    await until(async () => (await a.ship('1')).status === 200)
  })

  it('answers with what was shipped although Redis dies meanwhile, seconds later and not a lease later', async () => {
    const a = await start(framework, 2_000)
    const first = a.ship('1')
    await a.app.waitFor('began')
    await apps.redis.kill()
    const killedAt = performance.now()
    await a.app.send({ type: 'finish' })
    const response = await first
    const tookMs = performance.now() - killedAt
    await apps.redis.restart()
    expect(await response.json()).toEqual({ parcel: 'parcel of 1' })
    // commandTimeoutMs is 5 s, the lease 30 s.
    expect(tookMs).toBeLessThan(15_000)
  })

  it('refuses an invalid order number before it becomes the name of a lock', async () => {
    const a = await start(framework, 2_000)
    expect((await a.ship('{x}')).status).toBe(400)
    expect(await apps.redis.call('KEYS', '*{x}*')).toEqual([])
  })
})
