import { booleanIn, numberIn, type Fields } from './fields.js'

/** The objects that are no locks, by the names of Redisson's interfaces. */
export type SharedKind = 'RSemaphore' | 'RPermitExpirableSemaphore' | 'RCountDownLatch'

export interface PermitOptions {
  /** A fixed lease, in milliseconds. Without it the permits of Java do not end, and those of Holdfast are renewed. */
  readonly leaseMs?: number
  /** @defaultValue one attempt for `tryAcquire`, no limit for `wait` */
  readonly waitMs?: number
}

/** The client that it belongs to. */
interface Caller {
  call(request: Fields): Promise<Fields>
}

/** A semaphore or latch as one task of a client sees it. Instants are on the machine's monotonic clock. */
export class SharedObject {
  readonly #peer: Caller
  readonly #target: Fields

  constructor(peer: Caller, object: SharedKind, lock: string, task: string) {
    this.#peer = peer
    this.#target = { object, lock, task }
  }

  /** Resolves with the instant at which it had the permits. */
  async acquire(permits: number, options: PermitOptions = {}): Promise<number> {
    return numberIn(await this.call('acquire', { permits, ...options }), 'enteredAtMs')
  }

  async tryAcquire(permits: number, options: PermitOptions = {}): Promise<boolean> {
    return booleanIn(await this.call('tryAcquire', { permits, ...options }), 'entered')
  }

  /** Resolves with the instant just before it was sent. Of permits with ids, all that the task acquired last. */
  async release(permits: number): Promise<number> {
    return numberIn(await this.call('release', { permits }), 'leftAtMs')
  }

  async available(): Promise<number> {
    return numberIn(await this.call('available'), 'permits')
  }

  async trySetCount(permits: number): Promise<boolean> {
    return booleanIn(await this.call('trySetCount', { permits }), 'done')
  }

  /** Resolves with the instant just before it was sent. */
  async countDown(): Promise<number> {
    return numberIn(await this.call('countDown'), 'leftAtMs')
  }

  async count(): Promise<number> {
    return numberIn(await this.call('count'), 'permits')
  }

  /** Resolves with the instant at which the latch was open, and with `null` when it was not in time. */
  async wait(waitMs?: number): Promise<number | null> {
    const reply = await this.call('wait', waitMs === undefined ? {} : { waitMs })
    return booleanIn(reply, 'entered') ? numberIn(reply, 'enteredAtMs') : null
  }

  /** Sends one raw request. */
  call(op: string, fields: Fields = {}): Promise<Fields> {
    return this.#peer.call({ op, ...this.#target, ...fields })
  }
}
