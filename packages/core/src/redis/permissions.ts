import { RefusedError } from '../errors.js'
import type { ScriptCall, ScriptConnection } from './connection/script-connection.js'
import { engineName } from './errors.js'
import { asList } from './reply.js'
import { scripts } from './scripts/generated.js'
import type { Script } from './scripts/generated.js'

/** What scripts call, each with arguments that change nothing of a hash with the field `host`. `*` stands for its key. */
const tries = [
  'TIME',
  ...[
    'EXISTS *',
    'PTTL *',
    'PEXPIREAT * x',
    'GET *',
    'SET * x NX',
    'INCR *',
    'INCRBY * 1',
    'DECR *',
    'DECRBY * 1',
  ],
  ...[
    'HSETNX * host x',
    'HGET * x',
    'HMGET * x',
    'HDEL * x',
    'HEXISTS * x',
    'HGETALL *',
    'HLEN *',
    'HVALS *',
  ],
  'HRANDFIELD *',
  ...[
    'LINDEX * 0',
    'LPOP *',
    'LPOS * x',
    'LPUSH * x',
    'LRANGE * 0 0',
    'LREM * 1 x',
    'LTRIM * 0 0',
    'RPUSH * x',
  ],
  ...[
    'SADD * x',
    'SCARD *',
    'ZADD * 1 x',
    'ZCARD *',
    'ZCOUNT * 0 1',
    'ZMSCORE * x',
    'ZRANGE * 0 0',
    'ZREM * x',
  ],
  ...['ZRANGEBYSCORE * 0 1', 'ZREMRANGEBYSCORE * 0 1', 'ZSCORE * x'],
] as const

/**
 * Runs scripts that the Redis user may run to the end. One that is rejected halfway leaves what it has written so far, which may be a
 * key without a time to live. So all of their commands are tried at first use, and objects for which some are missing are refused
 * before anything is written.
 */
export class Permissions implements Pick<ScriptConnection, 'run'> {
  readonly #connection: Pick<ScriptConnection, 'run'>
  readonly #registry: string
  /** Registers the client again. */
  readonly #register: () => Promise<void>
  #missing: readonly string[] = []

  /** @param registry - the key that is tried on; deleted by that */
  constructor(connection: Pick<ScriptConnection, 'run'>, registry: string, register: () => Promise<void>) {
    this.#connection = connection
    this.#registry = registry
    this.#register = register
  }

  /** Finds out what is missing, and registers the client. */
  async look(): Promise<void> {
    const call = { script: scripts.clientPermissions, keys: [this.#registry], args: tries }
    // The second is sent right after the first.
    const [missing] = await Promise.all([
      this.#connection.run(call, (reply) => asList(reply).map(String)),
      this.#register(),
    ])
    this.#missing = missing
  }

  run<T>(call: ScriptCall, read: (reply: unknown, call: ScriptCall) => T, timeoutMs?: number): Promise<T> {
    if (this.#missing.length === 0) return this.#connection.run(call, read, timeoutMs)
    return this.#runIfPermitted(call, read, timeoutMs)
  }

  async #runIfPermitted<T>(
    call: ScriptCall,
    read: (reply: unknown, call: ScriptCall) => T,
    timeoutMs: number | undefined,
  ): Promise<T> {
    // Someone may have granted it in the meantime.
    if (this.#missingFor(call).length > 0) await this.look()
    const missing = this.#missingFor(call)
    if (missing.length === 0) return this.#connection.run(call, read, timeoutMs)
    const rules = missing.map((command) => `+${command.toLowerCase()}`).join(' ')
    throw new RefusedError(
      `NOPERM: the Redis user lacks ${rules}, without which ${call.keys[0] ?? 'a key'} could stay behind without a time to live; ` +
        'grant all commands that docs/operations.md lists under Permissions for this kind of object',
      { engine: engineName },
    )
  }

  #missingFor({ script }: ScriptCall): string[] {
    const needed = commandsOf(familyOf(script))
    return this.#missing.filter((command) => needed.has(command))
  }
}

/** Objects of one kind: who may not run all of their scripts must not begin with one. Reading does no harm. */
function familyOf({ name }: Script): string {
  if (name.endsWith('Inspect')) return ''
  const [family = ''] = /^redisson[A-Z][a-z]+|^[a-z]+/.exec(name) ?? []
  return family === 'multi' ? 'lock' : family
}

const known = new Map<string, ReadonlySet<string>>()

/** What the scripts of a family cannot do without: they carry on when a `pcall` fails. */
function commandsOf(family: string): ReadonlySet<string> {
  const commands = known.get(family) ?? new Set(family === '' ? [] : allCommandsOf(family))
  known.set(family, commands)
  return commands
}

function* allCommandsOf(family: string): Generator<string> {
  for (const script of Object.values(scripts)) {
    if (familyOf(script) !== family) continue
    for (const [, command = ''] of script.lua.matchAll(/(?<!p)call\(\s*'([A-Z]+)'/g)) yield command
  }
}
