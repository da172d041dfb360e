import { RefusedError } from '../errors.js'
import { monotonicMs } from '../util/clock.js'
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

/** The family of scripts that write nothing. */
const harmless = ''

/**
 * Runs scripts that the Redis user may run to the end. One that is rejected halfway leaves what it has written so far, which may be a
 * key without a time to live. So all commands that a kind of object needs are tried at its first use, and if some are missing it is
 * refused before anything is written. Not at the first use of any: what is not permitted appears in the log of the server.
 */
export class Permissions implements Pick<ScriptConnection, 'run'> {
  readonly #connection: Pick<ScriptConnection, 'run'>
  readonly #key: string
  /** What is missing, by kind, once that was tried. */
  readonly #missing = new Map<string, readonly string[]>([[harmless, []]])
  readonly #looks = new Map<string, Promise<readonly string[]>>()

  /** @param key - that commands are tried on; deleted by that */
  constructor(connection: Pick<ScriptConnection, 'run'>, key: string) {
    this.#connection = connection
    this.#key = key
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
    const rules = missing.map((command) => `+${command.toLowerCase()}`).join(' ')
    throw new RefusedError(
      `NOPERM: the Redis user lacks ${rules}, without which ${call.keys[0] ?? 'a key'} could stay behind without a time to live; ` +
        'grant all commands that docs/operations.md lists under Permissions for this kind of object',
      { engine: engineName },
    )
  }

  /** Calls that look at the same time share one command, so its bound is that of none of them. */
  #look(family: string): Promise<readonly string[]> {
    const looking = this.#looks.get(family) ?? this.#try(family)
    this.#looks.set(family, looking)
    return looking
  }

  async #try(family: string): Promise<readonly string[]> {
    const needed = commandsOf(family)
    const args = tries.filter((words) => needed.has(words.replace(/ .*/, '')))
    const call = { script: scripts.clientPermissions, keys: [this.#key], args }
    try {
      const missing = await this.#connection.run(call, (reply) => asList(reply).map(String))
      this.#missing.set(family, missing)
      return missing
    } finally {
      this.#looks.delete(family)
    }
  }
}

/** Objects of one kind: who may not run all of their scripts must not begin with one. Reading does no harm. */
function familyOf(script: Script): string {
  const family = families.get(script) ?? familyNamed(script.name)
  families.set(script, family)
  return family
}

const families = new Map<Script, string>()

function familyNamed(name: string): string {
  if (name.endsWith('Inspect')) return harmless
  const [family = ''] = /^redisson[A-Z][a-z]+|^[a-z]+/.exec(name) ?? []
  return family === 'multi' ? 'lock' : family
}

const known = new Map<string, ReadonlySet<string>>()

/** What the scripts of a family cannot do without: they carry on when a `pcall` fails. */
function commandsOf(family: string): ReadonlySet<string> {
  const commands = known.get(family) ?? new Set(allCommandsOf(family))
  known.set(family, commands)
  return commands
}

function* allCommandsOf(family: string): Generator<string> {
  for (const script of Object.values(scripts)) {
    if (familyOf(script) !== family) continue
    for (const [, command = ''] of script.lua.matchAll(/(?<!p)call\(\s*'([A-Z]+)'/g)) yield command
  }
}
