import { isHoldfastError, type Holdfast } from '@holdfast/core'
import { Hono } from 'hono'

export type Ship = (orderId: string, signal: AbortSignal) => Promise<string>

/** A handler of web-standard requests, for whatever framework passes them on. */
export function makeHandler(holdfast: Holdfast, ship: Ship, waitMs = 2_000) {
  return async (request: Request, id: string): Promise<Response> => {
    if (!/^\d{1,15}$/.test(id)) return Response.json({ error: 'not an order number' }, { status: 400 })
    const lock = holdfast.getLock(`order:${id}`)
    try {
      const options = { waitMs, signal: request.signal }
      const parcel = await lock.withLock(options, (lease) => ship(id, lease.signal))
      return Response.json({ parcel })
    } catch (error) {
      const code = isHoldfastError(error) ? error.code : undefined
      if (code === 'LOCK_TIMEOUT') return later(409, 'this order is being processed', 1)
      if (code !== undefined && laterCodes.includes(code)) return later(503, 'try again later', 5)
      throw error
    }
  }
}

/** Of errors that may be over soon. */
const laterCodes = ['UNAVAILABLE', 'REPLICATION', 'TOO_MANY_WAITERS', 'CLOSED']

const later = (status: number, error: string, seconds: number): Response =>
  Response.json({ error }, { status, headers: { 'Retry-After': String(seconds) } })

export function makeHonoApp(holdfast: Holdfast, ship: Ship, waitMs?: number): Hono {
  const handle = makeHandler(holdfast, ship, waitMs)
  const app = new Hono()
  app.post('/orders/:id/ship', ({ req }) => handle(req.raw, req.param('id')))
  return app
}

interface RouteContext {
  readonly params: Promise<{ readonly id: string }>
}

/** What `app/orders/[id]/ship/route.ts` of a Next.js application exports. */
export function makeNextRoute(holdfast: Holdfast, ship: Ship, waitMs?: number) {
  const handle = makeHandler(holdfast, ship, waitMs)
  return {
    POST: async (request: Request, { params }: RouteContext) => handle(request, (await params).id),
  }
}
