import type { AcquireOptions, ClientOptions } from '@holdfast/core'
import type { OtherProcess } from '../engine-under-test.js'
import { ClientProcess } from './client-process.js'

/** What the process takes for a lock. */
export type Subject = 'lock' | 'write-lock'

/** One acquisition in another process. */
export interface RemoteEntry {
  readonly owner: string
  /** The fencing token; 0 where the engine has none. */
  readonly token: number
}

/** A client in a process of its own, which can be killed and frozen. Needs the packages to be built. */
export class RemoteClient {
  readonly clientId: string
  readonly #process: ClientProcess

  private constructor(process: ClientProcess, clientId: string) {
    this.#process = process
    this.clientId = clientId
  }

  /** Resolves when it has passed a lock from one of its own waiters to another. */
  static async fork(other: OtherProcess, options: ClientOptions, subject: Subject): Promise<RemoteClient> {
    const args = [
      other.module.href,
      JSON.stringify(other.argument() ?? null),
      JSON.stringify(options),
      subject,
    ]
    const process = new ClientProcess(args)
    const { clientId } = await process.waitFor('ready')
    return new RemoteClient(process, String(clientId))
  }

  /** Has the process request the lock; does not wait until it has it. */
  lock(name: string, options: Omit<AcquireOptions, 'signal'> = {}): Promise<void> {
    return this.#process.send({ type: 'lock', name, options })
  }

  /** Has the process request all permits of the semaphore of this name. */
  acquire(name: string, permits: number): Promise<void> {
    return this.#process.send({ type: 'acquire', name, permits })
  }

  /** Resolves when an acquisition there has begun to wait. */
  async untilWaiting(): Promise<void> {
    await this.#process.waitFor('waiting')
  }

  /** Resolves when an acquisition there has got its lock. */
  async untilAcquired(timeoutMs?: number): Promise<RemoteEntry> {
    return asEntry(await this.#process.waitFor('acquired', timeoutMs))
  }

  /** Leaves the oldest lease there. */
  async unlock(): Promise<void> {
    await this.#process.send({ type: 'unlock' })
    await this.#process.waitFor('released')
  }

  /** How many acquisitions wait there. */
  async waiters(): Promise<number> {
    await this.#process.send({ type: 'waiters' })
    return Number((await this.#process.waitFor('waiters'))['waiters'])
  }

  /** Whether the oldest lease there claims to be held. */
  async isHeld(): Promise<boolean> {
    await this.#process.send({ type: 'is held' })
    return (await this.#process.waitFor('is held'))['isHeld'] === true
  }

  /** Has `count` waiters at once go through the lock there; what is returned resolves with them in order of entry. */
  async pass(name: string, count: number): Promise<() => Promise<RemoteEntry[]>> {
    await this.#process.send({ type: 'pass', name, count })
    return async () => {
      const { entries } = await this.#process.waitFor('passed')
      return Array.isArray(entries) ? entries.map(asEntry) : []
    }
  }

  async freeze(): Promise<void> {
    await this.#process.freeze()
  }

  thaw(): void {
    this.#process.thaw()
  }

  async kill(): Promise<void> {
    await this.#process.kill()
  }
}

function asEntry(value: unknown): RemoteEntry {
  if (typeof value !== 'object' || value === null || !('owner' in value) || !('token' in value)) {
    throw new Error(`not an entry: ${JSON.stringify(value)}`)
  }
  return { owner: String(value.owner), token: Number(value.token) }
}
