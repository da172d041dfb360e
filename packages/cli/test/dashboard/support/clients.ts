import { Holdfast, type HoldfastOptions } from '@holdfast/core'

/** Opens clients of one server, and closes them all. */
export class Clients {
  readonly #open: Holdfast[] = []

  open(redis: string, options: Partial<HoldfastOptions> = {}): Holdfast {
    const client = new Holdfast({ redis, ...options })
    // Outages are part of these tests.
    client.on('error', () => undefined)
    this.#open.push(client)
    return client
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((client) => client.close()))
  }
}
