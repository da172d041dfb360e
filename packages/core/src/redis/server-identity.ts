import type { StoreFacts } from '../engine/session.js'
import { RefusedError, type UnavailableError } from '../errors/errors.js'
import type { WarningCode } from '../events/events.js'
import type { ScriptConnection } from './connection/script-connection.js'
import { engineName, hasCode, isAboutKey, isUnusable } from './errors.js'
import type { Keys } from './keys.js'
import { lockScripts } from './scripts/generated.js'

/** What INFO says about a server, as far as it matters here. */
export interface ServerInfo {
  readonly runId: string | undefined
  readonly version: string | undefined
  readonly role: string | undefined
  readonly evictionPolicy: string | undefined
  readonly replicas: number | undefined
  /** For how long it has been running, at least. */
  readonly uptimeMs: number | undefined
}

/**
 * Knows which server process has which key.
 *
 * A release that was sent twice and found nothing to release the second time was carried out the first time, if the
 * data is still that of the same process. A restarted or failed-over server has another `run_id`.
 */
export class ServerIdentity {
  readonly #connection: ScriptConnection
  readonly #runIds = new Map<string, string>()
  #isRefused = false

  constructor(connection: ScriptConnection) {
    this.#connection = connection
  }

  /** Requests the identity of the server that owns this key. */
  async read(key: string): Promise<ServerInfo> {
    const epoch = this.#connection.epoch
    const info = await this.#identify(key)
    const field = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
    const runId = field('run_id')
    const replicas = field('connected_slaves')
    const uptimeS = field('uptime_in_seconds')
    if (runId !== undefined && epoch === this.#connection.epoch)
      this.#runIds.set(this.#connection.routeOf(key), runId)
    return {
      runId,
      version: field('redis_version'),
      role: field('role'),
      evictionPolicy: field('maxmemory_policy'),
      replicas: replicas === undefined ? undefined : Number(replicas),
      // The difference of two instants in whole seconds: up to one second more than the truth.
      uptimeMs: uptimeS === undefined ? undefined : Math.max(0, (Number(uptimeS) - 1) * 1000),
    }
  }

  /** Whether Redis has refused this since the last break; repeating the request makes no sense then. */
  get isRefused(): boolean {
    return this.#isRefused
  }

  /** The process that has this key, if it has replied since the last break. */
  known(key: string): string | undefined {
    return this.#runIds.get(this.#connection.routeOf(key))
  }

  /** After a break nothing is known: the server may have restarted. */
  forget(): void {
    this.#runIds.clear()
    this.#isRefused = false
  }

  /** The process that has this key now; `undefined` when Redis refuses to say. Rejects when it does not reply. */
  async runId(key: string): Promise<string | undefined> {
    try {
      return (await this.read(key)).runId
    } catch (error) {
      if (this.#isRefused) return undefined
      throw error
    }
  }

  async #identify(key: string): Promise<string> {
    try {
      return await this.#connection.run({ script: lockScripts.clientIdentify, keys: [key], args: [] }, String)
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      this.#isRefused = true
      const lacksCommand = hasCode(error, 'NOPERM') && !isUnusable(error) && !isAboutKey(error)
      throw lacksCommand ? lacksInfo(error) : error
    }
  }
}

const lacksInfo = ({ cause }: RefusedError): RefusedError =>
  new RefusedError(
    'NOPERM: the Redis user lacks +info, which it takes to read version, role and uptime of the server; ' +
      'grant the commands that docs/stores/redis.md lists',
    { engine: engineName, cause },
  )

/** Whether it takes writes, as far as it says. */
const isMaster = ({ role = 'master' }: ServerInfo): boolean => role === 'master'

/** Throws `RefusedError` when the server cannot keep locks. */
function assertUsable(info: ServerInfo): void {
  if (!isMaster(info)) {
    // INFO still uses the old word.
    const role = info.role === 'slave' ? 'replica' : String(info.role)
    throw new RefusedError(`the Redis server is a ${role}; locks need the master: point the client at it`, {
      engine: engineName,
    })
  }
  const [major = 0, minor = 0] = (info.version ?? '').split('.').map(Number)
  if (info.version !== undefined && (major < 6 || (major === 6 && minor < 2))) {
    throw new RefusedError(`Redis ${info.version} is too old: Holdfast needs 6.2 or later, or Valkey`, {
      engine: engineName,
    })
  }
}

/**
 * Refuses a server that cannot keep locks, and warns about one that may lose them or cannot be checked.
 *
 * @param key - leads to the server
 * @param name - of the server, in messages
 * @param leave - has the connection made again: its address may lead to the master by then
 */
export async function checkServer(
  servers: ServerIdentity,
  key: string,
  name: string,
  warn: (code: WarningCode, message: string) => void,
  leave: () => Promise<void>,
): Promise<void> {
  try {
    const info = await servers.read(key)
    if (!isMaster(info)) await leave()
    assertUsable(info)
    if (info.evictionPolicy !== undefined && info.evictionPolicy !== 'noeviction') {
      const text = `${name} may evict locks: its maxmemory-policy is ${info.evictionPolicy}; set it to noeviction`
      warn('EVICTION_POLICY', text)
    }
  } catch (error) {
    const mayOnlyLackInfo = error instanceof RefusedError && error.cause !== undefined
    if (!mayOnlyLackInfo || isUnusable(error)) throw error
    warn(
      'SERVER_UNKNOWN',
      `the server's version, role and eviction policy could not be read: ${error.message}`,
    )
  }
}

/** What a client knows of its servers, key by key. */
export class RedisFacts implements StoreFacts {
  readonly name: string
  readonly #connection: ScriptConnection
  readonly #servers: ServerIdentity

  constructor(name: string, connection: ScriptConnection, servers: ServerIdentity) {
    this.name = name
    this.#connection = connection
    this.#servers = servers
  }

  get connectionEpoch(): number {
    return this.#connection.epoch
  }

  get doubt(): UnavailableError | undefined {
    return this.#connection.doubt
  }

  incarnation({ main }: Keys): Promise<string | undefined> {
    return this.#servers.runId(main)
  }

  knownIncarnation({ main }: Keys): string | null | undefined {
    return this.#servers.known(main) ?? (this.#servers.isRefused ? null : undefined)
  }

  async uptimeMs({ main }: Keys): Promise<number | undefined> {
    return (await this.#servers.read(main)).uptimeMs
  }
}
