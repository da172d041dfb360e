import { mode, type Request, type Requests } from '../../src/client/requests.js'
import type { Session } from '../../src/client/session.js'

/** A client's connection, as the lock needs it. */
export interface HerdClient {
  readonly session: Session
  readonly make: Requests
  readonly ask: <T>(request: Request<T>) => Promise<T>
}

/**
 * The stage of docs/trust/why.md whose waiters watch the queue as a whole.
 */
export class HerdLock {
  #entry = ''

  constructor(
    readonly client: HerdClient,
    readonly queue: string,
  ) {}

  async lock(): Promise<void> {
    const { ask, make } = this.client
    const made = await ask(make.create(`${this.queue}/`, '', mode.ephemeralSequential))
    if (typeof made === 'string') throw new Error(made)
    this.#entry = made.path
    for (;;) {
      const { changed, names } = await this.#watchQueue()
      const [first] = names.sort()
      if (`${this.queue}/${first}` === this.#entry) return
      await changed
    }
  }

  async unlock(): Promise<void> {
    await this.client.ask(this.client.make.remove(this.#entry))
  }

  async #watchQueue(): Promise<{ readonly changed: Promise<void>; readonly names: string[] }> {
    const { ask, make, session } = this.client
    const changed = new Promise<void>((resolve) => session.watch('children', this.queue, resolve))
    const names = await ask(make.getChildren(this.queue, true))
    return { changed, names: [...(names ?? [])] }
  }
}
