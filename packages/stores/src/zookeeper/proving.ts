import { UnavailableError } from '@holdfast/core/engine'
import type { Entry } from '../sessions/index.js'
import type { Asking } from './asking.js'
import { code, engineName } from './client/errors.js'
import type { Operation, Requests } from './client/requests.js'
import { inParts } from './client/watches.js'
import type { Clients } from './clients.js'

/**
 * Proves the session and sees which entries are there, in one request of many operations; a few if there are thousands. It has to write:
 * a server that was cut off from the others goes on answering reads.
 */
export class Proving {
  readonly #asking: Asking
  readonly #requests: Requests
  readonly #clients: Clients

  constructor(asking: Asking, requests: Requests, clients: Clients) {
    this.#asking = asking
    this.#requests = requests
    this.#clients = clients
  }

  async prove(entries: readonly Entry[], timeoutMs: number): Promise<readonly boolean[]> {
    const parts = inParts(entries.map(({ key }) => key))
    if (parts.length === 0) parts.push([])
    return (await Promise.all(parts.map((part) => this.#provePart(part, timeoutMs)))).flat()
  }

  async #provePart(keys: readonly string[], timeoutMs: number): Promise<boolean[]> {
    let there = keys.map(() => true)
    for (let attempts = 0; attempts < 5; attempts += 1) {
      const asked = keys.filter((_, i) => there[i])
      const checks = asked.map((path): Operation => ({ kind: 'check', path }))
      const reply = await this.#asking.ask(this.#requests.multi([...checks, this.#clients.proof]), timeoutMs)
      this.#asking.learnTime(reply.mtime)
      // Of those that failed only the first is named, and the rest says that another one did.
      const failed = reply.errors.findIndex((error) => error !== 0 && error !== code.runtimeInconsistency)
      if (failed < 0) return there
      if (reply.errors[failed] !== code.noNode) break
      if (failed === asked.length) await this.#clients.announce(timeoutMs)
      else there = await this.#whichAreThere(keys, timeoutMs)
    }
    throw new UnavailableError(`${this.#asking.name}: entries change faster than they can be looked at`, {
      engine: engineName,
    })
  }

  #whichAreThere(keys: readonly string[], timeoutMs: number): Promise<boolean[]> {
    const exists = async (key: string): Promise<boolean> =>
      (await this.#asking.ask(this.#requests.getData(key, false), timeoutMs)) !== null
    return Promise.all(keys.map(exists))
  }
}
