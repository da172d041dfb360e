import {
  ClosedError,
  InvalidArgumentError,
  LockTimeoutError,
  ReplicationError,
  TooManyWaitersError,
  UnavailableError,
  type HoldfastError,
} from '@holdfast/core'
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common'
import { throwError, type Observable } from 'rxjs'

/** How {@link HoldfastExceptionFilter} responds. */
export interface HoldfastExceptionFilterOptions {
  /**
   * The status of a request that found its lock held for all of `waitMs`: 409 Conflict, or 423 Locked.
   *
   * @defaultValue 409
   */
  readonly busyStatus?: 409 | 423 | undefined
}

/** What a response of Express and a reply of Fastify have in common. */
interface HttpResponse {
  status(code: number): { send(body: object): unknown }
  /** Of Express. */
  readonly headersSent?: boolean
  end?(): unknown
  /** Of Fastify. */
  readonly raw?: { readonly headersSent: boolean; end(): unknown }
}

const messages = {
  busy: 'The resource is in use. Try again later.',
  away: 'The resource cannot be locked now. Try again later.',
}
const phrases = { 409: 'Conflict', 423: 'Locked', 503: 'Service Unavailable' } as const

/**
 * Turns errors of locks into responses, on Express and Fastify: a `LockTimeoutError` into 409 or 423, and an outage (`UnavailableError`,
 * `ReplicationError`, `TooManyWaitersError`, `ClosedError`) into 503. The body has the `code` of the error, and not its message, which names
 * the lock and its holder. All other errors, such as `LockLostError`, stay with the filters of the application.
 *
 * To a microservice message it replies with `{ status: 'error', code, message }`. Elsewhere, as in GraphQL, it rethrows the error. Do not bind it to
 * gateways of WebSockets, for which Nest drops what a filter throws. An HTTP response that has begun is ended, as Nest itself does.
 */
export class HoldfastExceptionFilter implements ExceptionFilter<HoldfastError> {
  readonly #busyStatus: 409 | 423

  /** @throws `InvalidArgumentError` for another status */
  constructor(options: HoldfastExceptionFilterOptions = {}) {
    const { busyStatus = 409 } = options
    const given: number = busyStatus
    if (given !== 409 && given !== 423)
      throw new InvalidArgumentError(`busyStatus of HoldfastExceptionFilter must be 409 or 423, got ${given}`)
    this.#busyStatus = busyStatus
  }

  /** Called by Nest. */
  catch(error: HoldfastError, host: ArgumentsHost): Observable<never> | undefined {
    const isBusy = error instanceof LockTimeoutError
    const message = isBusy ? messages.busy : messages.away
    switch (host.getType()) {
      case 'http':
        respond(host, isBusy ? this.#busyStatus : 503, error.code, message)
        return undefined
      case 'rpc':
        // Where a filter throws, Nest sends no reply, and the caller waits.
        return throwError(() => ({ status: 'error', code: error.code, message }))
      default:
        throw error
    }
  }
}

function respond(host: ArgumentsHost, statusCode: 409 | 423 | 503, code: string, message: string): void {
  const response = host.switchToHttp().getResponse<HttpResponse>()
  if (response.raw?.headersSent ?? response.headersSent) {
    if (response.raw) response.raw.end()
    else response.end?.()
    return
  }
  response.status(statusCode).send({ statusCode, error: phrases[statusCode], code, message })
}

Catch(
  LockTimeoutError,
  UnavailableError,
  ReplicationError,
  TooManyWaitersError,
  ClosedError,
)(HoldfastExceptionFilter)
