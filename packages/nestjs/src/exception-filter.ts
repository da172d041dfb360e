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

const phrases = { 409: 'Conflict', 423: 'Locked', 503: 'Service Unavailable' } as const

/**
 * Turns errors of locks into responses, on Express and Fastify: a `LockTimeoutError` into 409 or 423, and an outage (`UnavailableError`,
 * `ReplicationError`, `TooManyWaitersError`, `ClosedError`) into 503. The body has the `code` of the error, and not its message, which names
 * the lock and its holder. All other errors, such as `LockLostError`, stay with the filters of the application.
 *
 * Outside HTTP it rethrows the error. A response that has begun is ended, as Nest itself does.
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
  catch(error: HoldfastError, host: ArgumentsHost): void {
    if (host.getType() !== 'http') throw error
    const response = host.switchToHttp().getResponse<HttpResponse>()
    if (response.raw?.headersSent ?? response.headersSent) {
      if (response.raw) response.raw.end()
      else response.end?.()
      return
    }
    const isBusy = error instanceof LockTimeoutError
    const statusCode = isBusy ? this.#busyStatus : 503
    const message = isBusy
      ? 'The resource is in use. Try again later.'
      : 'The resource cannot be locked now. Try again later.'
    response.status(statusCode).send({ statusCode, error: phrases[statusCode], code: error.code, message })
  }
}

Catch(
  LockTimeoutError,
  UnavailableError,
  ReplicationError,
  TooManyWaitersError,
  ClosedError,
)(HoldfastExceptionFilter)
