import { isHoldfastError, type Holdfast } from '@holdfast/core'
import type { ErrorRequestHandler, Express, Request, Response } from 'express'

export type Ship = (orderId: string, signal: AbortSignal) => Promise<string>

export function addShipping(app: Express, holdfast: Holdfast, ship: Ship, waitMs = 2_000): void {
  const handle = async (request: Request<{ id: string }>, response: Response): Promise<void> => {
    const { id } = request.params
    if (!/^\d{1,15}$/.test(id)) {
      response.status(400).json({ error: 'not an order number' })
      return
    }
    const disconnected = new AbortController()
    response.once('close', () => disconnected.abort())
    const lock = holdfast.getLock(`order:${id}`)
    // A client that disconnects ends the wait. Once `ship` has begun, the lock stays held until it ends.
    const options = { waitMs, signal: disconnected.signal }
    const parcel = await lock.withLock(options, (lease) => ship(id, lease.signal))
    // The lock is free again: a slow client must not keep it.
    response.json({ parcel })
  }
  app.post('/orders/:id/ship', (request, response, next) => {
    // Express 5 would do this itself. In Express 4 a rejection that nothing handles ends the process.
    handle(request, response).catch(next)
  })
  app.use(answerLockErrors)
}

const answerLockErrors: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  // The client disconnected, so there is no one to answer.
  if (response.destroyed) return
  // A response that has begun cannot become another one: Express ends its connection.
  const { code, lockName = '' } = isHoldfastError(error) && !response.headersSent ? error : {}
  if (code === 'LOCK_TIMEOUT' && lockName.startsWith('order:')) {
    response.status(409).set('Retry-After', '1').json({ error: 'this order is being processed' })
  } else if (code !== undefined && laterCodes.includes(code)) {
    response.status(503).set('Retry-After', '5').json({ error: 'try again later' })
  } else if (code === 'LOCK_LOST') {
    // Its message, which Express would show, names the holder.
    response.status(500).json({ error: 'it may have been processed: check the order' })
  } else {
    next(error)
  }
}

/** Of errors that may be over soon. */
const laterCodes = ['UNAVAILABLE', 'REPLICATION', 'TOO_MANY_WAITERS', 'CLOSED']
