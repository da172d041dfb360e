import type { RenewalOutcome } from '@holdfast/watchdog'
import type { Channels } from '../channels/channels.js'
import type { LockSteps } from '../engine/lock-steps.js'
import { outsideAllCalls } from '../util/background.js'
import { momentNow } from '../util/clock.js'
import type { ProvenHold } from './proven-hold.js'

const outcomeOf = { renewed: 'renewed', 'not-held': 'lost', 'no-reply': 'unknown' } as const

/** What renewing needs of the client. */
export interface RenewalDeps {
  readonly channels: Channels | undefined
  readonly steps: LockSteps
  readonly settings: { readonly commandTimeoutMs: number; readonly renewEveryMs: number }
}

/** Sends what the watchdog finds due. */
export class Renewals {
  readonly #deps: RenewalDeps

  constructor(deps: RenewalDeps) {
    this.#deps = deps
  }

  /** The watchdog's timer carries the context of some call: that call has nothing to do with it. */
  send(holds: readonly ProvenHold[]): Promise<readonly RenewalOutcome[]> {
    const { channels } = this.#deps
    const send = (): Promise<readonly RenewalOutcome[]> => this.#send(holds)
    return outsideAllCalls(() => (channels ? channels.renew(holds, send) : send()))
  }

  async #send(holds: readonly ProvenHold[]): Promise<readonly RenewalOutcome[]> {
    const sentAt = momentNow()
    const renewals = holds.map((hold) => hold.nextRenewal(sentAt))
    const { steps, settings } = this.#deps
    const { commandTimeoutMs, renewEveryMs } = settings
    const replies = await steps.renew(renewals, Math.ceil(Math.min(commandTimeoutMs, renewEveryMs)))
    return replies.map((reply) => outcomeOf[reply])
  }
}
