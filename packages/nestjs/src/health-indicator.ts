import type { ModuleRef } from '@nestjs/core'
import type { HoldfastClient } from './options.js'
import { getHoldfastToken } from './tokens.js'

/** A result as `@nestjs/terminus` expects it. */
export type HoldfastHealth = Record<
  string,
  { readonly status: 'up' } | { readonly status: 'down'; readonly message: string }
>

/** A health indicator for `@nestjs/terminus`, from version 11. {@link HoldfastModule} provides it. */
export class HoldfastHealthIndicator {
  readonly #modules: ModuleRef

  /** @internal */
  constructor(modules: ModuleRef) {
    this.#modules = modules
  }

  /**
   * Pings the store of a client: `health.check([() => holdfast.pingCheck('locks')])`. It is down if no reply comes within
   * `commandTimeoutMs` of the client, 5 s by default; if the store refuses the command; and once the client is closed.
   *
   * Use it for readiness. Holds and waits outlive an outage, so it is no reason to restart a process.
   *
   * @param key - what the result is listed as
   * @param client - the name of the client, or `'default'`
   * @throws what Nest throws for a client that no module provides
   */
  async pingCheck(key: string, client?: string): Promise<HoldfastHealth> {
    const holdfast = this.#modules.get<HoldfastClient>(getHoldfastToken(client), { strict: false })
    try {
      await holdfast.ping()
      return { [key]: { status: 'up' } }
    } catch (error) {
      return { [key]: { status: 'down', message: error instanceof Error ? error.message : String(error) } }
    }
  }
}
