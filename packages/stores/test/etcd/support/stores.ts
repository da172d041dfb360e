import { quietHost } from '@holdfast/conformance'
import type { Entry, Queue } from '@holdfast/stores/sessions'
import { uniqueName } from '@holdfast/testkit'
import { resolveOptions, type EtcdOptions } from '../../../src/etcd/options.js'
import { EtcdStore } from '../../../src/etcd/store.js'

export const timeoutMs = 5_000

/** A store without a client around it: each call is one step. */
export class BareStore {
  readonly store: EtcdStore
  readonly clientId = uniqueName('bare')
  /** What it reported, in order, with what it said of its session at that instant. */
  readonly events: string[] = []
  readonly errors: unknown[] = []
  /** Added to its clock. */
  aheadMs = 0

  private constructor(options: EtcdOptions) {
    const note = (event: string) => this.events.push(event)
    this.store = new EtcdStore(
      resolveOptions(options),
      quietHost(this.clientId, {
        now: () => performance.now() + this.aheadMs,
        error: (error) => void this.errors.push(error),
      }),
      {
        broken: () => note('broken'),
        connected: () => note('connected'),
        ended: (session) => note(`ended ${session}, now '${this.store.session}'`),
        evicted: (owner) => note(`evicted ${owner}`),
        message: (text) => note(`message ${text}`),
      },
    )
  }

  static async open(options: EtcdOptions): Promise<BareStore> {
    const bare = new BareStore(options)
    await bare.store.connect(timeoutMs)
    await bare.store.announce(timeoutMs)
    return bare
  }

  owner(n: number): string {
    return `${this.clientId}:${n}`
  }

  enter(queue: Queue, n: number, permits = 1) {
    const note = { count: 1, leaseMs: 0 }
    return this.store.enter(queue, { owner: this.owner(n), permits, size: 10, note }, timeoutMs)
  }

  async entered(queue: Queue, n: number, permits = 1): Promise<Entry> {
    const entered = await this.enter(queue, n, permits)
    if (!entered) throw new Error('the owner is barred')
    return entered.own
  }

  async ownersIn(queue: Queue): Promise<string[]> {
    return (await this.store.list(queue, timeoutMs)).entries.map(({ owner }) => owner)
  }
}
