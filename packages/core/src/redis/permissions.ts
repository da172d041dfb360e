import { RefusedError } from '../errors/errors.js'
import { monotonicMs } from '../time/time.js'
import type { ScriptCall, ScriptRunner } from './connection/script-connection.js'
import { engineName } from './errors.js'
import { asList } from './reply.js'
import { lockScripts } from './scripts/generated.js'
import type { Script } from './scripts/script.js'

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
