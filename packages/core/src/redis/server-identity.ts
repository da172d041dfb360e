import { RefusedError } from '../errors.js'
import { scripts } from './scripts/generated.js'
import type { CommandLink } from './connection/script-connection.js'
import { faultOf } from './errors.js'

/** What INFO says about a server, as far as it matters here. */
export interface ServerInfo {
  readonly runId: string | undefined
  readonly version: string | undefined
  readonly role: string | undefined
  readonly evictionPolicy: string | undefined
  readonly replicas: number | undefined
}

/**
 * Knows which server process answers for which key.
 *
 * A release that was sent twice and answered "not held" the second time was carried out the first time, if the
 * data is still that of the same process. A restarted or failed-over server has another `run_id`.
 */
export class ServerIdentity {
  readonly #link: CommandLink
  readonly #runIds = new Map<string, string>()
  #isRefused = false

  constructor(link: CommandLink) {
    this.#link = link
  }

  /** Asks the server that answers for this key who it is. */
  async read(key: string): Promise<ServerInfo> {
    const breaks = this.#link.breaks
    const info = await this.#ask(key)
    const field = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
    const runId = field('run_id')
    const replicas = field('connected_slaves')
    if (runId !== undefined && breaks === this.#link.breaks) this.#runIds.set(this.#link.routeOf(key), runId)
    return {
      runId,
      version: field('redis_version'),
      role: field('role'),
      evictionPolicy: field('maxmemory_policy'),
      replicas: replicas === undefined ? undefined : Number(replicas),
    }
  }

  /** Whether Redis has refused to say since the last break: then there is no use in asking again. */
  get isRefused(): boolean {
    return this.#isRefused
  }

  /** The process that answers for this key, if it was asked since the last break. */
  known(key: string): string | undefined {
    return this.#runIds.get(this.#link.routeOf(key))
  }

  /** After a break nothing is known: the server may have restarted. */
  forget(): void {
    this.#runIds.clear()
    this.#isRefused = false
  }

  /** Whether the process of this `runId` still answers for the key; no when it may not say. Rejects when it does not answer. */
  async isStill(runId: string | undefined, key: string): Promise<boolean> {
    if (runId === undefined) return false
    try {
      return (await this.read(key)).runId === runId
    } catch (error) {
      if (this.#isRefused) return false
      throw error
    }
  }

  async #ask(key: string): Promise<string> {
    try {
      return await this.#link.run({ script: scripts.clientIdentify, keys: [key], args: [] }, String)
    } catch (error) {
      const fault = faultOf(error)
      if (fault instanceof RefusedError) this.#isRefused = true
      throw fault
    }
  }
}

/** Throws `RefusedError` when the server is no place for locks. */
export function assertUsable(info: ServerInfo): void {
  if (info.role !== undefined && info.role !== 'master') {
    throw new RefusedError(
      `the Redis server is a ${info.role}: locks need the master, point the client there`,
    )
  }
  const [major = 0, minor = 0] = (info.version ?? '').split('.').map(Number)
  if (info.version !== undefined && (major < 6 || (major === 6 && minor < 2))) {
    throw new RefusedError(`Redis ${info.version} is too old: Holdfast needs 6.2 or later, or Valkey`)
  }
}
