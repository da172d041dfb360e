import { isHoldfastError, type Holdfast, type Lease } from '@holdfast/core'
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify'

export type Ship = (orderId: string, signal: AbortSignal) => Promise<string>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler runs under the lock of this name. It returns a promise, and has ended when that settles. */
    lockName?: (request: FastifyRequest) => string
  }
  interface FastifyRequest {
    /** Of a route with a `lockName`. */
    lease: Lease
  }
}

/** Call it before the routes are added. */
export function lockRoutes(app: FastifyInstance, holdfast: Holdfast, waitMs: number): void {
  app.decorateRequest('lease')
  app.addHook('onRoute', (route) => {
    const { handler } = route
    const lockName = route.config?.lockName
    if (!lockName) return
    route.handler = function (request, reply) {
      const disconnected = new AbortController()
      reply.raw.once('close', () => disconnected.abort())
      const options = { waitMs, signal: disconnected.signal }
      return holdfast.getLock(lockName(request)).withLock(options, (lease) => {
        request.lease = lease
        return handler.call(this, request, reply)
      })
    }
  })
}

interface Order {
  readonly id: string
}

const schema = {
  params: { type: 'object', properties: { id: { type: 'string', pattern: '^\\d{1,15}$' } } },
}
const config = { lockName: ({ params }: FastifyRequest) => `order:${(params as Order).id}` }

export function makeFastifyApp(holdfast: Holdfast, ship: Ship, waitMs = 2_000): FastifyInstance {
  const app = fastify()
  lockRoutes(app, holdfast, waitMs)
  app.post<{ Params: Order }>('/orders/:id/ship', { schema, config }, async (request) => {
    // Sent after the release: a slow client must not keep the lock.
    return { parcel: await ship(request.params.id, request.lease.signal) }
  })
  app.setErrorHandler((error, _request, reply) => {
    const code = isHoldfastError(error) ? error.code : undefined
    if (code === 'LOCK_TIMEOUT') {
      return reply.code(409).header('Retry-After', '1').send({ error: 'this order is being processed' })
    }
    if (code !== undefined && laterCodes.includes(code)) {
      return reply.code(503).header('Retry-After', '5').send({ error: 'try again later' })
    }
    return reply.send(error)
  })
  return app
}

/** Of errors that may be over soon. */
const laterCodes = ['UNAVAILABLE', 'REPLICATION', 'TOO_MANY_WAITERS', 'CLOSED']
