import type { FaultProxy } from './proxy.js'

/** The network between one client and the servers that it may use, of which it uses one at a time or several. */
export class ProxyLink {
  readonly #proxies: readonly FaultProxy[]
  readonly #isStep: () => (request: string) => boolean

  /** @param isStep - makes what finds, in the requests of a client, the first one that ends a step */
  constructor(proxies: readonly FaultProxy[], isStep: () => (request: string) => boolean) {
    this.#proxies = proxies
    this.#isStep = isStep
  }

  blackHole(direction: 'both' | 'toStore' | 'toClient'): void {
    for (const proxy of this.#proxies) proxy.blackHole(direction === 'toStore' ? 'toServer' : direction)
  }

  heal(): void {
    for (const proxy of this.#proxies) proxy.heal()
  }

  cut(): void {
    for (const proxy of this.#proxies) proxy.cut()
  }

  async loseNextReply(): Promise<void> {
    const isStep = this.#isStep()
    let isTaken = false
    const take = (request: string): boolean => {
      if (isTaken || !isStep(request)) return false
      isTaken = true
      return true
    }
    await Promise.race(this.#proxies.map((proxy) => proxy.loseReply(take)))
  }

  async close(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.close()))
  }
}
