import type { StoreFacts } from '../engine/session.js'
import { RefusedError, type UnavailableError } from '../errors/errors.js'
import type { WarningCode } from '../events/events.js'
import { monotonicMs } from '../time/time.js'
import type { ScriptCall, ScriptConnection, ScriptRunner } from './connection/script-connection.js'
import { asList, engineName, hasCode, isAboutKey, isUnusable } from './errors.js'
import type { Keys } from './keys.js'
import { lockScripts } from './scripts/generated.js'
import type { Script } from './scripts/script.js'

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

/** What scripts call, each with arguments that change nothing of a hash with the field `host`. `*` stands for its key. */
const tries = `
  TIME|EXISTS *|PTTL *|PEXPIREAT * x|GET *|SET * x NX|INCR *|INCRBY * 1|DECR *|DECRBY * 1|
  HSETNX * host x|HGET * x|HMGET * x|HDEL * x|HEXISTS * x|HGETALL *|HLEN *|HVALS *|HRANDFIELD *|
  LINDEX * 0|LLEN *|LPOP *|LPOS * x|LPUSH * x|LRANGE * 0 0|LREM * 1 x|LTRIM * 0 0|RPUSH * x|SADD * x|SCARD *|
  SRANDMEMBER * 1|ZADD * 1 x|ZCARD *|ZCOUNT * 0 1|ZMSCORE * x|ZRANGE * 0 0|ZREM * x|ZRANGEBYSCORE * 0 1|
  ZREMRANGEBYSCORE * 0 1|ZSCORE * x`
  .split('|')
  .map((words) => words.trim())

/**
 * Runs scripts that the Redis user may run to the end. One that is rejected halfway leaves what it has written so far, which may be a
 * key without a time to live. So all commands that a kind of object needs are tried at its first use, and if some are missing it is
 * refused before anything is written. Not at the first use of any: what is not permitted appears in the log of the server.
 */
export class Permissions implements ScriptRunner {
  readonly #connection: ScriptRunner
  readonly #key: string
  #scripts: readonly Script[]
  /** What is missing, by kind, once that was tried. */
  readonly #missing = new Map<string, readonly string[]>()
  readonly #looks = new Map<string, Promise<readonly string[]>>()

  /**
   * @param key - that commands are tried on; deleted by that
   * @param all - the scripts that may be run
   */
  constructor(connection: ScriptRunner, key: string, all: readonly Script[]) {
    this.#connection = connection
    this.#key = key
    this.#scripts = all
  }

  add(scripts: readonly Script[]): void {
    this.#scripts = [...this.#scripts, ...scripts]
  }

  /** Tries what all users need. */
  async lookAtLocks(): Promise<void> {
    await this.#look('lock')
  }

  run<T>(call: ScriptCall, read: (reply: unknown, call: ScriptCall) => T, timeoutMs?: number): Promise<T> {
    const isPermitted = this.#missing.get(familyOf(call.script))?.length === 0
    return isPermitted
      ? this.#connection.run(call, read, timeoutMs)
      : this.#runIfPermitted(call, read, timeoutMs)
  }

  async #runIfPermitted<T>(
    call: ScriptCall,
    read: (reply: unknown, call: ScriptCall) => T,
    timeoutMs: number | undefined,
  ): Promise<T> {
    const startedAt = monotonicMs()
    // Also if something was missing before: it may have been granted since.
    const missing = await this.#look(familyOf(call.script))
    if (missing.length === 0) {
      const lookedMs = monotonicMs() - startedAt
      const leftMs = timeoutMs === undefined ? undefined : Math.max(1, Math.ceil(timeoutMs - lookedMs))
      return this.#connection.run(call, read, leftMs)
    }
    throw refusal(missing, call.keys[0] ?? 'a key', isReading(call.script.name))
  }

  /** Names what is missing if that is why Redis rejected a script that was sent before it was known. Always throws. */
  async explain(thrown: unknown, key: string): Promise<never> {
    const missing = thrown instanceof RefusedError ? await this.#look('lock') : []
    throw missing.length > 0 ? refusal(missing, key, false) : thrown
  }

  /** Calls that look at the same time share one command, so its bound is that of none of them. */
  #look(family: string): Promise<readonly string[]> {
    const looking = this.#looks.get(family) ?? this.#try(family)
    this.#looks.set(family, looking)
    return looking
  }

  async #try(family: string): Promise<readonly string[]> {
    const needed = this.#commandsOf(family)
    const args = tries.filter((words) => needed.has(words.replace(/ .*/, '')))
    const call = { script: lockScripts.clientPermissions, keys: [this.#key], args }
    try {
      const missing = await this.#connection.run(call, (reply) => asList(reply).map(String))
      this.#missing.set(family, missing)
      return missing
    } finally {
      this.#looks.delete(family)
    }
  }

  /** What the scripts of a family cannot do without. What a `pcall` of theirs rejects they would take for another reply. */
  #commandsOf(family: string): ReadonlySet<string> {
    const calls = this.#scripts
      .filter((script) => familyOf(script) === family)
      .flatMap(({ lua }) => [...lua.matchAll(/(p?call)\(\s*'([A-Z]+)'/g)])
      .filter(([, called, command = '']) => called === 'call' || !optional.has(command))
    return new Set(calls.map(([, , command = '']) => command))
  }
}

function refusal(missing: readonly string[], key: string, isReading: boolean): RefusedError {
  const rules = missing.map((command) => `+${command.toLowerCase()}`).join(' ')
  const need = isReading
    ? `which it takes to read ${key}`
    : `without which ${key} could stay behind without a time to live`
  return new RefusedError(
    `NOPERM: the Redis user lacks ${rules}, ${need}; ` +
      'grant all commands that docs/stores/redis.md lists for this kind of object',
    { engine: engineName },
  )
}

/** Those that only read: nothing stays behind of one that is rejected halfway, so it needs no others to be permitted. */
const isReading = (name: string): boolean => name.endsWith('Inspect')

/** Objects of one kind: who may not run all of their scripts must not begin with one. */
function familyOf(script: Script): string {
  const family = families.get(script) ?? familyOfObject(script)
  families.set(script, family)
  return family
}

const families = new Map<Script, string>()

function familyOfObject({ name, family }: Script): string {
  if (isReading(name)) return name
  return family === 'multi' || family === 'client' ? 'lock' : family
}

/** What scripts carry on without: a message, who listens, the type of a foreign value, one of two ways to read the holder. */
const optional: ReadonlySet<string> = new Set(['PUBLISH', 'PUBSUB', 'TYPE', 'HRANDFIELD', 'HKEYS'])
