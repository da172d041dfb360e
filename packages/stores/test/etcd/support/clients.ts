import { Holdfast, type ClientOptions } from '@holdfast/core'
import { etcd, type EtcdOptions } from '../../../src/etcd/index.js'

/** Opens clients, and closes them all after each test. */
export class Clients {
  readonly #open: Holdfast[] = []

  open(engine: EtcdOptions, options: ClientOptions = {}): Holdfast {
    const holdfast = new Holdfast({ ...options, engine: etcd(engine) })
    this.#open.push(holdfast)
    // What is emitted is not what these tests are about, and would be shown.
    holdfast.on('error', () => undefined)
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
