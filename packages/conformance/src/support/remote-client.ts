import { fileURLToPath } from 'node:url'
import { forkWorker, type Worker } from '@holdfast/testkit'
import type { AcquireOptions, ClientOptions } from '@holdfast/core'
import type { OtherProcess } from '../engine-under-test.js'

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
  readonly #worker: Worker

  private constructor(worker: Worker, clientId: string) {
    this.#worker = worker
    this.clientId = clientId
  }

  /** Resolves when it has passed a lock from one of its own waiters to another. */
  static async fork(process: OtherProcess, options: ClientOptions, subject: Subject): Promise<RemoteClient> {
    const file = fileURLToPath(new URL('../../worker/client.mjs', import.meta.url))
    const args = [
      process.module.href,
      JSON.stringify(process.argument() ?? null),
      JSON.stringify(options),
      subject,
    ]
    const worker = await forkWorker(file, { args })
    const { clientId } = await worker.waitFor('ready', 20_000)
    return new RemoteClient(worker, String(clientId))
  }

  /** Has the process request the lock; does not wait until it has it. */
  lock(name: string, options: Omit<AcquireOptions, 'signal'> = {}): Promise<void> {
    return this.#worker.send({ type: 'lock', name, options })
  }

  /** Has the process request all permits of the semaphore of this name. */
  acquire(name: string, permits: number): Promise<void> {
    return this.#worker.send({ type: 'acquire', name, permits })
  }

  /** Resolves when an acquisition there has begun to wait. */
  async untilWaiting(): Promise<void> {
    await this.#worker.waitFor('waiting')
  }

  /** Resolves when an acquisition there has got its lock. */
  async untilAcquired(timeoutMs?: number): Promise<RemoteEntry> {
    return asEntry(await this.#worker.waitFor('acquired', timeoutMs))
  }

  /** Leaves the oldest lease there. */
  async unlock(): Promise<void> {
    await this.#worker.send({ type: 'unlock' })
    await this.#worker.waitFor('released')
  }

  /** How many acquisitions wait there. */
  async waiters(): Promise<number> {
    await this.#worker.send({ type: 'waiters' })
    return Number((await this.#worker.waitFor('waiters'))['waiters'])
  }

  /** Whether the oldest lease there claims to be held. */
  async isHeld(): Promise<boolean> {
    await this.#worker.send({ type: 'is held' })
    return (await this.#worker.waitFor('is held'))['isHeld'] === true
  }

  /** Has `count` waiters at once go through the lock there; what is returned resolves with them in order of entry. */
  async pass(name: string, count: number): Promise<() => Promise<RemoteEntry[]>> {
    await this.#worker.send({ type: 'pass', name, count })
    return async () => {
      const { entries } = await this.#worker.waitFor('passed', 25_000)
      return Array.isArray(entries) ? entries.map(asEntry) : []
    }
  }

  async freeze(): Promise<void> {
    await this.#worker.freeze()
  }

  thaw(): void {
    this.#worker.thaw()
  }

  async kill(): Promise<void> {
    await this.#worker.kill()
  }
}

function asEntry(value: unknown): RemoteEntry {
  if (typeof value !== 'object' || value === null || !('owner' in value) || !('token' in value)) {
    throw new Error(`not an entry: ${JSON.stringify(value)}`)
  }
  return { owner: String(value.owner), token: Number(value.token) }
}
