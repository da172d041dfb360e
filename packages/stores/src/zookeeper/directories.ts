import { RefusedError, UnavailableError } from '@holdfast/core/engine'
import type { Queue } from '../sessions/index.js'
import type { Asking } from './asking.js'
import { engineName } from './client/errors.js'
import { mode, type Requests } from './client/requests.js'
import type { Paths } from './paths.js'

const mostKnown = 10_000
const mostAttempts = 4

/** Makes the nodes that others are made in. */
export class Directories {
  readonly #asking: Asking
  readonly #requests: Requests
  readonly #paths: Paths
  /** Paths that were there a while ago. The server removes the directory of a queue that is empty. */
  readonly #known = new Set<string>()

  constructor(asking: Asking, requests: Requests, paths: Paths) {
    this.#asking = asking
    this.#requests = requests
    this.#paths = paths
  }

  /** The nodes that always are there. */
  async makeBase(timeoutMs: number): Promise<void> {
    const { base, locks, clients, mailboxes } = this.#paths
    if (this.#known.has(base)) return
    const made = await Promise.all(
      [base, locks, clients, mailboxes].map((path) => this.#make(path, timeoutMs)),
    )
    if (made.includes('noNode')) {
      const parent = base.slice(0, base.lastIndexOf('/'))
      throw new RefusedError(
        `${this.#asking.name}: there is no node ${parent}, which connect names: create it, or name another one`,
        { engine: engineName },
      )
    }
    this.#known.add(base)
  }

  /** Has the directory of a queue made, if this client does not know it, ahead of the requests that follow. */
  makeAhead(queue: Queue, timeoutMs: number): void {
    const path = this.#paths.queue(queue)
    if (this.#known.has(path)) return
    if (this.#known.size > mostKnown) this.#known.clear()
    this.#known.add(path)
    // Without it the request that follows finds no directory, and has it made again.
    this.#makeQueue(queue, timeoutMs).catch(() => undefined)
  }

  /** After a request found no directory. */
  async makeAgain(queue: Queue, timeoutMs: number): Promise<void> {
    this.#known.clear()
    await this.makeBase(timeoutMs)
    await this.#makeQueue(queue, timeoutMs)
  }

  /** Makes a node of this session. One of this path may be left from a session of this client that is over. */
  async makeEphemeral(path: string, data: string, timeoutMs: number): Promise<void> {
    const make = this.#requests.create(path, data, mode.ephemeral)
    for (let attempts = 0; attempts < mostAttempts; attempts += 1) {
      const made = await this.#asking.ask(make, timeoutMs)
      if (made === 'noNode') {
        this.#known.clear()
        await this.makeBase(timeoutMs)
      } else if (made === 'nodeExists') {
        const found = await this.#asking.ask(this.#requests.getData(path, false), timeoutMs)
        if (found?.stat.ephemeralOwner === this.#asking.sessionId) return
        await this.#asking.ask(this.#requests.remove(path), timeoutMs)
      } else {
        this.#asking.learnTime(made.stat.mtime)
        return
      }
    }
    throw new UnavailableError(`${this.#asking.name}: ${path} is made by others again and again`, {
      engine: engineName,
    })
  }

  /** Sent at once, both. */
  async #makeQueue(queue: Queue, timeoutMs: number): Promise<void> {
    const shard = this.#paths.shardOf(queue)
    const hasShard = this.#known.has(shard)
    this.#known.add(shard)
    await Promise.all([
      hasShard || this.#make(shard, timeoutMs),
      this.#asking.ask(this.#requests.createContainer(this.#paths.queue(queue)), timeoutMs),
    ])
  }

  #make(path: string, timeoutMs: number) {
    return this.#asking.ask(this.#requests.create(path, '', mode.persistent), timeoutMs)
  }
}
