import { until } from '@holdfast/testkit'
import { numberIn, stringIn, type Fields } from './fields.js'
import type { LineProcess } from './line-process.js'
import { SharedObject, type SharedKind } from './shared-object.js'
import { Task, type LockTarget } from './task.js'

/** Where both sides find Redis. */
export interface Reach {
  readonly mode: 'single' | 'cluster' | 'masters'
  /** `redis://host:port`; of a Cluster, some of its nodes; of independent masters, all of them. */
  readonly addresses: readonly string[]
}

export interface OpenOptions {
  readonly watchdogTimeoutMs?: number
  /** Java only: Redisson's default number of threads and connections. Not in a Cluster. */
  readonly roomy?: boolean
}

/** One client of one library, in its own process. Ends with the test that started it, or before. */
export class Peer implements AsyncDisposable {
  /** The library and its version. */
  readonly name: string
  /** The part of this client's owners before the colon. */
  readonly clientId: string
  readonly #process: LineProcess

  private constructor(name: string, clientId: string, process: LineProcess) {
    this.name = name
    this.clientId = clientId
    this.#process = process
  }

  /** Opens the client in a process that was just started. */
  static async open(name: string, process: LineProcess, reach: Reach, options: OpenOptions): Promise<Peer> {
    try {
      const opened = await process.call({ op: 'open', ...reach, ...options })
      return new Peer(name, stringIn(opened, 'clientId'), process)
    } catch (error) {
      await process.kill()
      throw error
    }
  }

  /**
   * A Java thread, or its equivalent in Node.js: it releases and re-enters what it has locked.
   *
   * @param target - which of the library's objects its calls are about; one thread may have several
   */
  task(name: string, target: LockTarget = {}): Task {
    return new Task(name, (request) => this.call({ ...request, ...target, task: name }))
  }

  /** A semaphore or latch, as one task sees it. */
  object(kind: SharedKind, name: string, task = 'task'): SharedObject {
    return new SharedObject(this, kind, name, task)
  }

  /** Resolves when `count` calls of its tasks wait for a held lock, ready to be notified. */
  async untilWaiting(count: number): Promise<void> {
    await until(async () => numberIn(await this.call({ op: 'waiting' }), 'waiting') === count, {
      what: `${String(count)} calls of ${this.name} to wait`,
    })
  }

  /** Sends one raw request, for operations that only one side supports. */
  call(request: Fields): Promise<Fields> {
    return this.#process.call(request)
  }

  /** Kills the process, without a message to Redis. */
  async die(): Promise<void> {
    await this.#process.kill()
  }

  /** Closes the client in good order, then ends its process. */
  async close(): Promise<void> {
    await this.call({ op: 'close' })
    await this.#process.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.kill()
  }
}
