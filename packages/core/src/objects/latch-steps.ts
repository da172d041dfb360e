import type { LatchInspection, LatchReply } from '../engine/latch.js'
import type { NotALockReply } from '../engine/replies.js'
import type { Address } from '../engine/requests.js'
import type { StoreFacts } from '../engine/store-facts.js'
import type { Closing } from '../errors/closing.js'
import { UnavailableError } from '../errors/errors.js'
import type { Events } from '../events/events.js'
import { notALock, toHoldfastError } from '../errors/store-errors.js'
import { pause, retryAfterMs } from '../util/backoff.js'
import { monotonicMs } from '../util/clock.js'
import type { Ready } from '../waiting/readiness.js'

/** What sending the steps of a latch needs of the client. */
export interface LatchStepDeps {
  readonly store: StoreFacts
  readonly settings: { readonly commandTimeoutMs: number; readonly watchdogTimeoutMs: number }
  readonly events: Pick<Events, 'emitError'>
  readonly readiness: Ready
  readonly closing: Closing
}

/** A reply, and whether an earlier copy of the step may have been carried out, or may be still. */
interface Replied<T> {
  readonly reply: T
  readonly inDoubt: boolean
}

/** Sends the steps of one latch, and sends them again while the store does not reply. */
export class LatchSteps {
  readonly #deps: LatchStepDeps
  readonly #address: Address

  constructor(deps: LatchStepDeps, address: Address) {
    this.#deps = deps
    this.#address = address
  }

  /** Sends it once: what only reads need not be sent again. */
  async once<T extends LatchReply | LatchInspection>(
    send: (timeoutMs: number) => Promise<T | NotALockReply>,
  ): Promise<T> {
    const { name } = this.#address
    try {
      return await this.#attempt(send)
    } catch (error) {
      throw toHoldfastError(error, { lockName: name, title: `latch ${name}` })
    }
  }

  /**
   * For one watchdog time at the most: a failover takes no longer. A step that is repeated is the same to the letter, so
   * that it makes no difference how often it is carried out.
   */
  async run<T extends LatchReply | LatchInspection>(
    send: (timeoutMs: number) => Promise<T | NotALockReply>,
  ): Promise<Replied<T>> {
    const { store, settings, events } = this.#deps
    const until = monotonicMs() + settings.watchdogTimeoutMs
    let inDoubt = false
    for (let failures = 1; ; failures++) {
      const epoch = store.connectionEpoch
      try {
        const reply = await this.#attempt(send)
        return { reply, inDoubt: inDoubt || epoch !== store.connectionEpoch }
      } catch (thrown) {
        const { name } = this.#address
        const error = toHoldfastError(thrown, { lockName: name, title: `latch ${name}` })
        if (!(error instanceof UnavailableError) || monotonicMs() >= until) throw error
        inDoubt = true
        events.emitError(error)
        await pause(retryAfterMs(failures))
      }
    }
  }

  async #attempt<T extends LatchReply | LatchInspection>(
    send: (timeoutMs: number) => Promise<T | NotALockReply>,
  ): Promise<T> {
    const { settings, readiness, closing } = this.#deps
    closing.assertOpen(this.#address.name)
    await readiness.ready(this.#address)
    const reply = await send(settings.commandTimeoutMs)
    if (reply.kind === 'not-a-lock') throw notALock(this.#address, reply)
    return reply
  }
}
