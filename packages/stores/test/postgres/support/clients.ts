import { Holdfast, type ClientOptions, type HoldfastEvents, type WarningCode } from '@holdfast/core'
import { postgres, type PostgresOptions } from '../../../src/postgres/index.js'

/** A client, and what it has reported. */
export interface TestClient {
  readonly holdfast: Holdfast
  readonly warnings: WarningCode[]
  readonly errors: Error[]
}

/** Opens clients, and closes them all after each test. */
export class Clients {
  readonly #open: Holdfast[] = []

  open(engine: PostgresOptions, options: ClientOptions = {}): TestClient {
    const holdfast = new Holdfast({ ...options, engine: postgres(engine) })
    this.#open.push(holdfast)
    const warnings: WarningCode[] = []
    const errors: Error[] = []
    holdfast.on('warning', ({ code }) => warnings.push(code))
    holdfast.on('error', (error) => errors.push(error))
    return { holdfast, warnings, errors }
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((holdfast) => holdfast.close()))
  }
}

export const nextEvent = <E extends keyof HoldfastEvents>(
  holdfast: Holdfast,
  event: E,
): Promise<HoldfastEvents[E][0]> =>
  new Promise((resolve) => holdfast.once(event, (...[detail]: HoldfastEvents[E]) => resolve(detail)))

/** What the promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome) return outcome.error
  throw new Error(`expected a rejection, got ${String(outcome.value)}`)
}
