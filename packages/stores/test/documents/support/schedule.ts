import { UnavailableError } from '@holdfast/core/engine'
import type { DocumentSession, DocumentStore } from '@holdfast/stores/documents'

/** Lets the requests of clients reach their store one at a time, in an order that a test chooses. */
export class Schedule {
  /** By client, what lets its request go on. */
  readonly #waiting = new Map<string, () => void>()
  readonly #clients = new Map<string, 'busy' | 'done'>()
  #changed: () => void = () => undefined
  #requests = 0

  /** @param lostReply - of which request no reply arrives, counted from 1; 0: of none */
  constructor(readonly lostReply: number) {}

  /** The same store, behind it, which lists nothing. */
  store(store: DocumentStore): DocumentStore {
    const { lists: _, ...traits } = store.traits
    return {
      name: store.name,
      traits,
      open: (host) => {
        const session = store.open(host)
        const gated: DocumentSession = {
          connectionEpoch: 0,
          storeName: session.storeName,
          prepare: () => session.prepare(),
          read: (...args) => this.#pass(host.clientId, () => session.read(...args)),
          replace: (...args) => this.#pass(host.clientId, () => session.replace(...args)),
          close: () => session.close(),
        }
        return gated
      },
    }
  }

  /** What a client does: its requests count as its own. */
  async act(clientId: string, acts: () => Promise<void>): Promise<void> {
    this.#clients.set(clientId, 'busy')
    await acts()
    this.#clients.set(clientId, 'done')
    this.#changed()
  }

  /**
   * Lets requests pass until all clients have done what they do.
   *
   * @param choose - of so many clients that have a request under way, the one whose request passes
   */
  async run(choose: (of: number) => number): Promise<void> {
    for (;;) {
      await this.#settled()
      const waiting = [...this.#waiting.keys()].sort()
      const next = waiting[waiting.length > 1 ? choose(waiting.length) : 0]
      if (next === undefined) return
      const go = this.#waiting.get(next)
      this.#waiting.delete(next)
      go?.()
    }
  }

  async #pass<T>(clientId: string, request: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.#waiting.set(clientId, resolve)
      this.#changed()
    })
    const isLost = ++this.#requests === this.lostReply
    const reply = await request()
    if (isLost) throw new UnavailableError('the reply was lost')
    return reply
  }

  /** Each client has a request under way, or is done. */
  async #settled(): Promise<void> {
    const isSettled = (): boolean =>
      [...this.#clients].every(([clientId, state]) => state === 'done' || this.#waiting.has(clientId))
    while (!isSettled()) await new Promise<void>((resolve) => (this.#changed = resolve))
  }
}

/** All sequences of choices, one per call of `run`, which makes them and says how wide each was. */
export async function everyOrder(run: (choose: (of: number) => number) => Promise<void>): Promise<number> {
  const made: { choice: number; of: number }[] = []
  for (let runs = 1; ; runs++) {
    let at = 0
    await run((of) => {
      const known = made[at++]
      if (known) return known.choice
      made.push({ choice: 0, of })
      return 0
    })
    made.length = Math.min(made.length, at)
    while (made.length > 0 && made.every(({ choice, of }, i) => i < made.length - 1 || choice === of - 1))
      made.pop()
    const last = made.at(-1)
    if (!last) return runs
    last.choice += 1
  }
}
