import { join } from 'node:path'
import { forkWorker, type Worker } from '@holdfast/testkit'
import type { HoldfastOptions } from '../../src/index.js'
import { closeAfterTest } from './clients.js'

/** One acquisition in another process. */
export interface RemoteEntry {
  readonly owner: string
  readonly token: number
}

/** A client in a process of its own, which can be killed and frozen. `closeAll` ends it. */
export class RemoteClient {
  readonly clientId: string
  readonly worker: Worker

  private constructor(worker: Worker, clientId: string) {
    this.worker = worker
    this.clientId = clientId
  }

  /** Resolves when it has used a lock, and a notice has reached it. Needs `npm run build` to have run. */
  static async fork(
    url: string,
    options: Omit<HoldfastOptions, 'redis' | 'signal'> = {},
  ): Promise<RemoteClient> {
    const file = join(__dirname, '../workers/client.mjs')
    const worker = await forkWorker(file, { args: [url, JSON.stringify(options)] })
    closeAfterTest(() => worker.kill())
    const { clientId } = await worker.waitFor('ready')
    return new RemoteClient(worker, String(clientId))
  }

  /** Asks for the lock there; does not wait for it. */
  lock(name: string, options: { waitMs?: number; leaseMs?: number } = {}): Promise<void> {
    return this.worker.send({ type: 'lock', name, options })
  }

  /** Resolves when an acquisition there has begun to wait. */
  async untilWaiting(): Promise<void> {
    await this.worker.waitFor('waiting')
  }

  /** Resolves when an acquisition there has got its lock. */
  async untilAcquired(timeoutMs?: number): Promise<RemoteEntry> {
    return asEntry(await this.worker.waitFor('acquired', timeoutMs))
  }

  /** Leaves the oldest lease there. */
  async unlock(): Promise<void> {
    await this.worker.send({ type: 'unlock' })
    await this.worker.waitFor('released')
  }
}

const asEntry = (value: unknown): RemoteEntry => {
  if (typeof value !== 'object' || value === null || !('owner' in value) || !('token' in value)) {
    throw new Error(`not an entry: ${JSON.stringify(value)}`)
  }
  return { owner: String(value.owner), token: Number(value.token) }
}
