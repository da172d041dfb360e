import type { Holdfast } from '@holdfast/core'
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common'
import type { HoldfastClient } from './options.js'

interface Terms {
  readonly drainMs: number | undefined
  /** Whether the process takes all its locks along when it ends, however it ends. */
  readonly endsWithProcess: boolean
}

/** The clients that a module made. Others belong to the application. */
const made = new WeakMap<HoldfastClient, { readonly client: Holdfast; readonly terms: Terms }>()

/** Closes the client of a module with the application, and warns if nothing will. */
export class ClientLifetime implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #owned: { readonly client: Holdfast; readonly terms: Terms } | undefined

  static begin(client: Holdfast, terms: Terms): void {
    made.set(client, { client, terms })
  }

  constructor(client: HoldfastClient) {
    this.#owned = made.get(client)
  }

  onApplicationBootstrap(): void {
    if (!this.#owned || this.#owned.terms.endsWithProcess) return
    // Not at once: an application may enable its hooks after it listens. Without a hold there is nothing to lose.
    this.#owned.client.once('acquired', () => warnUnlessEndedInOrder())
  }

  // After onModuleDestroy of all providers, which may still lock, and after the HTTP server has answered what was in flight.
  async onApplicationShutdown(): Promise<void> {
    await this.#owned?.client.close({ drainMs: this.#owned.terms.drainMs })
  }
}

function warnUnlessEndedInOrder(): void {
  if (process.listenerCount('SIGTERM') > 0) return
  new Logger('HoldfastModule').warn(
    'Nothing in this process listens to SIGTERM: it will end at once, and its locks stay held until their leases expire. ' +
      'Call app.enableShutdownHooks(), so that they are released',
  )
}
