import type { Holdfast } from '@holdfast/core'
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import type PQueue from 'p-queue'

export interface Stock {
  takeOne(): Promise<void>
  sendReceipt(): Promise<void>
}

/** All requests share one queue in this process, and one lock with all processes. */
export function makeShop(holdfast: Holdfast, queue: PQueue, stock: Stock): Express {
  const lock = holdfast.getLock('stock')
  // Bound, a job runs for the request that queued it. Otherwise it would run for the one whose job ended before it.
  const enqueue = (job: () => Promise<void>): Promise<void> => queue.add(holdfast.bind(job))
  const app = express()
  app.post(
    '/orders/:quantity',
    caught(async (request, response) => {
      await lock.withLock(async () => {
        for (let left = Number(request.params['quantity']); left > 0; left--) {
          // Not awaited: the queue may be full of jobs that wait for this very lock, which would be a deadlock.
          // Detached: a receipt does not belong to the hold.
          queue.add(() => holdfast.detached(() => stock.sendReceipt())).catch(console.error)
          await stock.takeOne()
        }
      })
      response.sendStatus(204)
    }),
  )
  app.post(
    '/orders/in/background',
    caught(async (_request, response) => {
      await enqueue(() => lock.withLock(() => stock.takeOne()))
      response.sendStatus(204)
    }),
  )
  return app
}

/** In Express 4 a rejection that nothing handles ends the process. */
const caught =
  (handle: (request: Request, response: Response) => Promise<void>): RequestHandler =>
  (request, response, next) => {
    handle(request, response).catch(next)
  }
