import loadIoredis from './ioredis.cjs'
import type { CommandConnection } from './types.js'

type Ioredis = Exclude<ReturnType<typeof loadIoredis>, Error>

type Words = readonly (string | number)[]

/** Sends an EVALSHA. */
export type SendScript = (sha1: string, keys: readonly string[], args: Words) => Promise<unknown>

const textReplies = { replyEncoding: 'utf8' } as const

/**
 * A command class for an EVALSHA that is written in one piece. ioredis copies the arguments of a command several times,
 * looks at each, and puts a text together from them bit by bit. With as many short ones as our scripts have, that is about
 * half of what a cycle costs in the client.
 */
function makeScriptCommand({ Command }: Ioredis) {
  return class ScriptCommand extends Command {
    readonly #text: string

    constructor(sha1: string, keys: readonly string[], args: Words) {
      super('evalsha', [], textReplies)
      // Not all of them: a cluster client finds its way by the keys.
      this.args = [sha1, String(keys.length), ...keys]
      this.#text = request(sha1, keys, args)
    }

    override toWritable(): string {
      return this.#text
    }
  }
}

/** Lengths are counted in bytes, which are mostly as many as the characters. */
function request(sha1: string, keys: readonly string[], args: Words): string {
  const start = `*${3 + keys.length + args.length}\r\n$7\r\nevalsha${prefixOf(sha1.length)}${sha1}`
  const words = [String(keys.length), ...keys, ...args]
  let text = start
  for (const word of words) {
    // Not a function: it would be what a cycle calls most, which shows until it is compiled.
    const each = typeof word === 'string' ? word : String(word)
    text += (prefixes[each.length] ?? prefixOf(each.length)) + each
  }
  if (Buffer.byteLength(text) === text.length) return text + '\r\n'
  const encoded = words.map(String).map((each) => prefixOf(Buffer.byteLength(each)) + each)
  return `${start}${encoded.join('')}\r\n`
}

/** What precedes a word of so many bytes. */
const prefixOf = (length: number): string => `\r\n$${length}\r\n`

const prefixes = Array.from({ length: 128 }, (_, length) => prefixOf(length))

/** One class for all connections: V8 optimizes for the classes that it sees. */
let scriptCommand: ReturnType<typeof makeScriptCommand> | undefined

/** How to send scripts on this connection. One of another copy of ioredis may not understand our commands. */
export function scriptSender(connection: CommandConnection): SendScript {
  const ioredis = loadIoredis()
  const isOurs =
    !(ioredis instanceof Error) &&
    (connection instanceof ioredis.Redis || connection instanceof ioredis.Cluster)
  if (!isOurs) {
    return (sha1, keys, args) => connection.evalsha(sha1, keys.length, ...keys, ...args)
  }
  const ScriptCommand = (scriptCommand ??= makeScriptCommand(ioredis))
  return (sha1, keys, args) => {
    const command = new ScriptCommand(sha1, keys, args)
    connection.sendCommand(command)
    return command.promise
  }
}

type Stream = NonNullable<CommandConnection['stream']>
type ConnectionFor = (key: string) => Pick<CommandConnection, 'stream'> | undefined

/** With this few in flight, write at once: holding back would leave the server idle. */
const fewInFlight = 4
const minBatch = 2
const maxBatch = 16
/**
 * A third of what is in flight is enough for a write: the server still has the rest to work on, since a command costs the
 * client less than three times what it costs the server.
 */
const writes = 3

/**
 * Sends what is written on a connection in one turn of the event loop in few writes, since each is a system call. A single
 * one would be too few: the server would idle until the turn ends, and then the client.
 */
export class WriteCoalescer {
  readonly #connectionFor: ConnectionFor
  /** How many commands are held back; 0 while none is. */
  readonly #held = new WeakMap<Stream, { commands: number }>()

  /** @param connectionFor - on which commands for a key are sent, as far as that is known */
  constructor(connectionFor: ConnectionFor) {
    this.#connectionFor = connectionFor
  }

  /**
   * Called before a command is sent. Where much is in flight, holds it back until there is enough of it or the turn ends;
   * promise callbacks are part of a turn.
   */
  beforeWrite(key: string, inFlight: number): void {
    if (inFlight <= fewInFlight) return
    const stream = this.#connectionFor(key)?.stream
    if (!stream) return
    let held = this.#held.get(stream)
    if (!held) this.#held.set(stream, (held = { commands: 0 }))
    if (held.commands === 0) {
      stream.cork()
      process.nextTick(this.#release, stream, held)
    } else if (held.commands >= Math.min(maxBatch, Math.max(minBatch, Math.ceil(inFlight / writes)))) {
      stream.uncork()
      stream.cork()
      held.commands = 0
    }
    held.commands++
  }

  readonly #release = (stream: Stream, held: { commands: number }): void => {
    held.commands = 0
    stream.uncork()
  }
}
