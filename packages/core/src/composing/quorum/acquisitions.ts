import type { HoldfastError } from '../../errors/errors.js'
import type { Master } from './master.js'

interface UnderWay {
  wentDown(master: Master, error: HoldfastError): void
  cameUp(): void
  close(): void
}

/** The acquisitions of a client that are under way. */
export class QuorumAcquisitions {
  /** How many of them wait for a held lock now; they count themselves. */
  waiting = 0
  readonly #all = new Set<UnderWay>()

  add(acquisition: UnderWay): void {
    this.#all.add(acquisition)
  }

  delete(acquisition: UnderWay): void {
    this.#all.delete(acquisition)
  }

  wentDown(master: Master, error: HoldfastError): void {
    for (const acquisition of [...this.#all]) acquisition.wentDown(master, error)
  }

  cameUp(): void {
    for (const acquisition of [...this.#all]) acquisition.cameUp()
  }

  close(): void {
    for (const acquisition of [...this.#all]) acquisition.close()
  }
}
