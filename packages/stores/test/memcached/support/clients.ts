import { Holdfast, type ClientOptions } from '@holdfast/core'
import { memcached, type MemcachedOptions } from '../../../src/memcached/index.js'

/** Opens clients, and closes them all after each test. */
export class Clients {
  readonly #open: Holdfast[] = []

  open(engine: MemcachedOptions, options: ClientOptions = {}): Holdfast {
    // As short as most tests can wait.
    return this.add(new Holdfast({ ...options, engine: memcached({ graceMs: 3_000, ...engine }) }))
  }

  add(holdfast: Holdfast): Holdfast {
    this.#open.push(holdfast)
    // What is emitted is not what these tests are about, and would be shown.
    holdfast.on('error', () => undefined)
    holdfast.on('warning', () => undefined)
    return holdfast
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((holdfast) => holdfast.close()))
  }
}

/** What the promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome) return outcome.error
  throw new Error(`expected a rejection, got ${String(outcome.value)}`)
}
