import type { Client } from '../client.js'
import { LockLostError, NotOwnerError } from '../errors.js'
import type { Hold } from '../holding/hold.js'
import type { LockKeys } from '../redis/keys.js'
import type { Lease } from '../objects/lease.js'
import { faultOf } from '../redis/errors.js'
import { Turns } from '../util/serial-queue.js'
import type { Turn } from '../util/serial-queue.js'

interface Held {
  readonly hold: Hold
  readonly lease: Lease
}

/**
 * What `lock()` and `tryLock()` acquired inside one `holdfast.scope()`, newest last, per lock.
 *
 * All tasks inside share it, as one thread would. Calls on one lock run one after another, so that two tasks
 * that both find the lock free do not wait for each other.
 */
export class Scope {
  readonly #client: Client
  readonly #held = new Map<string, Held[]>()
  readonly #turns = new Map<string, Turns>()
  #isEnded = false

  constructor(client: Client) {
    this.#client = client
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** The caller's turn among the calls on one lock. */
  nextTurn({ lock }: LockKeys): Pick<Turn, 'ready' | 'done'> {
    const turns = this.#turns.get(lock) ?? new Turns()
    this.#turns.set(lock, turns)
    const turn = turns.next()
    return {
      ready: turn.ready,
      done: () => {
        turn.done()
        if (turns.isIdle) this.#turns.delete(lock)
      },
    }
  }

  /** Leaves the newest lease of this lock that the scope made, in turn. */
  async unlock(keys: LockKeys): Promise<void> {
    const turn = this.nextTurn(keys)
    try {
      await turn.ready
      const newest = this.#openOnes(keys).at(-1)
      if (!newest) throw notOwner(keys)
      await newest.lease.unlock()
    } finally {
      turn.done()
    }
  }

  newestHold(keys: LockKeys): Hold | undefined {
    return this.#openOnes(keys).at(-1)?.hold
  }

  /** Keeps a lease for `unlock()`; one that comes after the scope's end is left at once. */
  keep(keys: LockKeys, hold: Hold, lease: Lease): void {
    if (this.#isEnded) {
      this.#client.background.run(this.#releaseLeaked({ hold, lease }))
      return
    }
    this.#held.set(keys.lock, [...this.#openOnes(keys), { hold, lease }])
  }

  /** Leaves what is still held, newest first. */
  async end(): Promise<void> {
    this.#isEnded = true
    const leaked = [...this.#held.values()].flat().filter(({ lease }) => !lease.isLeft)
    await Promise.all(leaked.reverse().map((held) => this.#releaseLeaked(held)))
  }

  async #releaseLeaked({ hold, lease }: Held): Promise<void> {
    if (!hold.loss) this.#client.events.emit('leaked', { name: lease.name, owner: lease.owner })
    try {
      await lease.unlock()
    } catch (error) {
      if (!(error instanceof LockLostError)) this.#client.events.emit('error', faultOf(error))
    }
  }

  /** Forgets what was left. */
  #openOnes({ lock }: LockKeys): readonly Held[] {
    const held = this.#held.get(lock)
    if (!held) return []
    const open = held.filter(({ lease }) => !lease.isLeft)
    if (open.length > 0) this.#held.set(lock, open)
    else this.#held.delete(lock)
    return open
  }
}

/** The error for an `unlock()` that has nothing to undo. */
export const notOwner = ({ name }: LockKeys): NotOwnerError =>
  new NotOwnerError(
    `no hold of lock ${name} to undo here: unlock() belongs to a lock() in the same scope; ` +
      'outside a scope call unlock() on the lease',
    { lockName: name },
  )
