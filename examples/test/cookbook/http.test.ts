import { Holdfast, LockTimeoutError } from '@holdfast/core'
import { isFullMatrix, until, type Worker } from '@holdfast/testkit'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { fastify, type FastifyReply } from 'fastify'
import { once } from 'node:events'
import { addShipping } from '../../src/cookbook/http-express.js'
import { lockRoutes } from '../../src/cookbook/http-fastify.js'
import { makeNextRoute } from '../../src/cookbook/http-web.js'
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

const frameworks = ['express', 'fastify', ...(isFullMatrix ? ['express4', 'hono'] : [])]

describe.each(frameworks)('%s', (framework) => {
  it('two instances process one request per order at a time, other orders beside it, and answer when the lock is free', async () => {
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
    const shipped = await first
    expect(await holdfast.getLock('order:1').isLocked()).toBe(false)
    expect(await shipped.json()).toEqual({ parcel: 'parcel of 1' })
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

  it('answers 400 to an invalid order number without taking a lock, and 503 with Retry-After while Redis is unreachable', async () => {
    const a = await start(framework, 2_000)
    expect((await a.ship('{x}')).status).toBe(400)
    expect(await apps.redis.call('KEYS', '*{x}*')).toEqual([])
    await apps.redis.kill()
    const refused = await a.ship('1')
    await apps.redis.restart()
    expect(refused.status).toBe(503)
    expect(refused.headers.get('Retry-After')).toBe('5')
    await a.app.send({ type: 'finish' })
    await until(async () => (await a.ship('1')).status === 200)
  })
})

describe('the error handler of Express', () => {
  /** What the application replies to a request. */
  async function request(app: Express, method: string, path: string): Promise<Response> {
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    try {
      return await fetch(`http://127.0.0.1:${address.port}${path}`, { method })
    } finally {
      server.close()
    }
  }

  it('answers 503 while the client has as many waiters as it may have', async () => {
    const limited = new Holdfast({ redis: apps.redis.url, maxWaiters: 0 })
    const app = express()
    addShipping(app, limited, (id) => Promise.resolve(`parcel of ${id}`))
    const response = await holdfast.getLock('order:1').withLock(() => request(app, 'POST', '/orders/1/ship'))
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).toBe('5')
    await limited.close()
  })

  it('answers 500 when the lock was lost, and does not say who held it', async () => {
    const app = express()
    addShipping(app, holdfast, async (id) => {
      await holdfast.getLock(`order:${id}`).forceUnlock({ by: 'ada@ops' })
      return `parcel of ${id}`
    })
    const response = await request(app, 'POST', '/orders/1/ship')
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({ error: 'it may have been processed: check the order' })
  })

  it('leaves the locks of other code to the next handler', async () => {
    const app = express()
    app.get('/', () => holdfast.getLock('stock').withLock({ waitMs: 0 }, () => undefined))
    addShipping(app, holdfast, (id) => Promise.resolve(`parcel of ${id}`))
    const end: ErrorRequestHandler = (problem: unknown, _request, response, _next) =>
      void response.status(418).end(String(problem))
    app.use(end)
    await using _held = await holdfast.getLock('stock').lock()
    expect((await request(app, 'GET', '/')).status).toBe(418)
  })

  it('passes the error of a response that has begun on to the next handler', async () => {
    const passedOn: unknown[] = []
    const error = new LockTimeoutError('busy', { holder: undefined, position: undefined, waitedMs: 1 })
    const app = express()
    app.get('/', (_request, response) => {
      response.write('the first half')
      throw error
    })
    addShipping(app, holdfast, (id) => Promise.resolve(`parcel of ${id}`))
    const end: ErrorRequestHandler = (problem: unknown, _request, response, _next) => {
      passedOn.push(problem)
      response.end()
    }
    app.use(end)
    expect(await (await request(app, 'GET', '/')).text()).toBe('the first half')
    expect(passedOn).toEqual([error])
  })
})

interface Exit {
  readonly handlerTimeout?: number
  /** Ends the response before the handler. */
  readonly begin?: (reply: FastifyReply) => void
  readonly end?: () => unknown
}

const leave = (reply: FastifyReply): void => void reply.raw.destroy()

const exits: readonly (readonly [string, Exit])[] = [
  ['returns', {}],
  ['throws', { end: () => Promise.reject(new Error('no')) }],
  ['sends its response early', { begin: (reply) => void reply.send('sent') }],
  ['writes its response itself', { begin: (reply) => void reply.hijack().raw.end('sent') }],
  ['has lost its client', { begin: leave }],
  ['has lost its client and throws', { begin: leave, end: () => Promise.reject(new Error('no')) }],
  ['has lost its client and returns nothing', { begin: leave, end: () => undefined }],
  ['is over its time', { handlerTimeout: 100, begin: () => undefined }],
]

/** A promise, and what resolves it. */
function gate(): [Promise<void>, () => void] {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  return [opened, open]
}

it.each(exits)(
  'a handler of Fastify that %s holds the lock of its route until it has ended, and no longer',
  async (_, { handlerTimeout = 0, begin, end = () => 'done' }) => {
    const lock = holdfast.getLock('route')
    const app = fastify(handlerTimeout > 0 ? { handlerTimeout } : {})
    lockRoutes(app, holdfast, 2_000)
    const [mayEnd, goOn] = gate()
    const [closed, close] = gate()
    app.get('/', { config: { lockName: () => 'route' } }, async (_request, reply) => {
      reply.raw.once('close', close)
      begin?.(reply)
      await mayEnd
      return end()
    })
    const response = fetch(await app.listen({ port: 0, host: '127.0.0.1' })).catch(() => undefined)
    await (begin ? closed : until(() => lock.isLocked()))
    expect(await lock.isLocked()).toBe(true)
    goOn()
    await response
    await until(async () => !(await lock.isLocked()), { what: 'the lock to be free' })
    await app.close()
  },
)

it('a route of Next.js gets the order from its path, and answers 409 while another request has it', async () => {
  const { POST } = makeNextRoute(holdfast, (id) => Promise.resolve(`parcel of ${id}`), 2_000)
  const post = (): Promise<Response> =>
    POST(new Request('http://localhost/orders/1/ship', { method: 'POST' }), {
      params: Promise.resolve({ id: '1' }),
    })
  expect(await (await post()).json()).toEqual({ parcel: 'parcel of 1' })
  await holdfast.getLock('order:1').withLock(async () => {
    expect((await holdfast.detached(post)).status).toBe(409)
  })
})
