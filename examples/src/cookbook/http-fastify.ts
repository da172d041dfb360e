import { ClosedError, LockTimeoutError, UnavailableError, type Holdfast } from '@holdfast/core'
import { fastify, type FastifyInstance } from 'fastify'

export type Ship = (orderId: string, signal: AbortSignal) => Promise<string>

const params = { type: 'object', properties: { id: { type: 'string', pattern: '^\\d{1,15}$' } } }

export function makeFastifyApp(holdfast: Holdfast, ship: Ship, waitMs = 2_000): FastifyInstance {
  const app = fastify()
  app.post<{ Params: { id: string } }>('/orders/:id/ship', { schema: { params } }, async (request, reply) => {
    const { id } = request.params
    const disconnected = new AbortController()
    reply.raw.once('close', () => disconnected.abort())
    const lock = holdfast.getLock(`order:${id}`)
    const options = { waitMs, signal: disconnected.signal }
    const parcel = await lock.withLock(options, (lease) => ship(id, lease.signal))
    // Sent after the release: a slow client must not keep the lock.
    return { parcel }
  })
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof LockTimeoutError) {
      return reply.code(409).header('Retry-After', '1').send({ error: 'this order is being processed' })
    }
    if (error instanceof UnavailableError || error instanceof ClosedError) {
      return reply.code(503).header('Retry-After', '5').send({ error: 'try again later' })
    }
    return reply.send(error)
  })
  return app
}
