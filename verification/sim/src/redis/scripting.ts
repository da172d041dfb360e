import { createHash } from 'node:crypto'
import type { CommandContext } from './command.js'
import { carryOut, commandOf } from './commands.js'
import { compile } from './lua/compile.js'
import { library } from './lua/library.js'
import { Operators } from './lua/operators.js'
import { general, LuaError, Table, typeOf, type LuaResult, type LuaValue } from './lua/values.js'
import { Failure, Status, type Reply } from './reply.js'

/** In whose words errors are. */
export type Version = '6.2.14' | '7.0.15'

/** What a script may do on a server. */
export interface ScriptRules {
  readonly version: Version
  /** It takes no writes: it is a replica. */
  readonly isReadOnly: boolean
  /** It has no memory left. */
  readonly isFull: boolean
}

const hashes = new Map<string, string>()

/** The name of a script: `lua` has a character for each byte. */
function hashOf(lua: string): string {
  const known = hashes.get(lua)
  if (known !== undefined) return known
  const hash = createHash('sha1').update(lua, 'latin1').digest('hex')
  hashes.set(lua, hash)
  return hash
}

const readOnly = "READONLY You can't write against a read only replica."
const outOfMemory = "OOM command not allowed when used memory > 'maxmemory'."

/** The scripts of one server, and how they run. */
export class Scripting {
  readonly #texts = new Map<string, string>()
  readonly #globals = new Map<string, LuaValue>(library)
  readonly #operators = new Operators(this.#globals)
  #context: CommandContext | undefined
  #rules: ScriptRules = { version: '7.0.15', isReadOnly: false, isFull: false }
  /** A script that has begun to write is not stopped for want of memory. */
  #hasWritten = false

  constructor() {
    const redis = Table.of({
      call: (...words) => this.#call(words, true),
      pcall: (...words) => this.#call(words, false),
      error_reply: (text) => Table.of({ err: text }),
      status_reply: (text) => Table.of({ ok: text }),
    })
    this.#globals.set('redis', redis)
  }

  flush(): void {
    this.#texts.clear()
  }

  /** Keeps a script, and returns its name. */
  load(lua: string): string {
    const hash = hashOf(lua)
    this.#texts.set(hash, lua)
    return hash
  }

  textOf(hash: string): string | undefined {
    return this.#texts.get(hash)
  }

  /** @param words - how many keys there are, the keys, and the arguments */
  run(
    hash: string,
    [count = '0', ...words]: readonly string[],
    context: CommandContext,
    rules: ScriptRules,
  ): Reply {
    const lua = this.#texts.get(hash)
    if (lua === undefined) return new Failure('NOSCRIPT No matching script. Please use EVAL.')
    const keys = Number(count)
    this.#globals.set('KEYS', new Table(words.slice(0, keys)))
    this.#globals.set('ARGV', new Table(words.slice(keys)))
    this.#context = context
    this.#rules = rules
    this.#hasWritten = false
    try {
      return replyOf(this.#operators.first(compile(lua)(this.#operators)))
    } catch (error) {
      if (error instanceof LuaError) return this.#failed(error, hash)
      throw error
    }
  }

  #call(words: readonly LuaValue[], raises: boolean): LuaResult {
    const reply = this.#carryOut(words)
    if (!raises || !(reply instanceof Failure)) return valueOf(reply)
    throw new LuaError(Table.of({ err: reply.text }))
  }

  #carryOut(words: readonly LuaValue[]): Reply {
    const [name = '', ...args] = words.map(wordOf)
    const command = commandOf(name)
    if (!this.#context || !command) return this.#refused('ERR Unknown Redis command called from script')
    const { isReadOnly, isFull } = this.#rules
    if (command.writes && isReadOnly) return this.#refused(readOnly)
    if (command.grows && isFull && !this.#hasWritten) return this.#refused(outOfMemory)
    if (command.writes) this.#hasWritten = true
    return carryOut(command, this.#context, args)
  }

  /** The server, not the command, refuses it. */
  #refused(text: string): Failure {
    return new Failure(
      this.#rules.version === '6.2.14' ? `@user_script: ${this.#operators.line}: -${text}` : text,
    )
  }

  #failed({ value, message }: LuaError, hash: string): Failure {
    const { line } = this.#operators
    const thrown = value instanceof Table ? value.get('err') : undefined
    if (this.#rules.version === '6.2.14') {
      const text = typeof thrown === 'string' ? thrown : `user_script:${line}: ${message}`
      return new Failure(`ERR Error running script (call to f_${hash}): @user_script:${line}: ${text}`)
    }
    const text = typeof thrown === 'string' ? thrown : `ERR user_script:${line}: ${message}`
    return new Failure(`${text} script: ${hash}, on @user_script:${line}.`)
  }
}

function wordOf(value: LuaValue): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return general(value, 17)
  throw new LuaError(`Lua redis lib command arguments must be strings or integers, got ${typeOf(value)}`)
}

/** A reply as scripts see it. */
function valueOf(reply: Reply): LuaValue {
  if (reply === null) return false
  if (typeof reply !== 'object') return reply
  if (reply instanceof Status) return Table.of({ ok: reply.text })
  if (reply instanceof Failure) return Table.of({ err: reply.text })
  return new Table(reply.map(valueOf))
}

/** What a script returned, as its reply. */
function replyOf(value: LuaValue): Reply {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return Math.trunc(value)
    case 'boolean':
      return value ? 1 : null
    case 'object': {
      const [failure, status] = [value.get('err'), value.get('ok')]
      if (typeof failure === 'string') return new Failure(failure)
      if (typeof status === 'string') return new Status(status)
      const end = value.list.indexOf(undefined)
      return (end === -1 ? value.list : value.list.slice(0, end)).map(replyOf)
    }
    default:
      return null
  }
}
