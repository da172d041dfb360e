import type { HoldfastError } from '../../errors/errors.js'
import type { Request } from '../../options/options.js'
import type { Target } from '../../ownership/target.js'
import type { Master } from './master.js'

interface UnderWay {
  readonly target: Target
  readonly owner: string
  readonly waitsSince: number
  readonly obstacle: { readonly holder: string } | undefined
  readonly inside: Request['inside']
  wentDown(master: Master, error: HoldfastError): void
  cameUp(): void
  close(): void
}

/** The acquisitions of a client that are under way. */
export class QuorumAcquisitions {
  /** How many of them wait for a held lock now; they count themselves. */
  waiting = 0
  readonly #all = new Set<UnderWay>()

  get all(): UnderWay[] {
    return [...this.#all]
  }

  add(acquisition: UnderWay): void {
    this.#all.add(acquisition)
  }

  delete(acquisition: UnderWay): void {
    this.#all.delete(acquisition)
  }

  wentDown(master: Master, error: HoldfastError): void {
    for (const acquisition of this.all) acquisition.wentDown(master, error)
  }

  cameUp(): void {
    for (const acquisition of this.all) acquisition.cameUp()
  }

  close(): void {
    for (const acquisition of this.all) acquisition.close()
  }
}
