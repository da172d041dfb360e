import { Cluster, Command, Redis } from 'ioredis'
import type { CommandConnection } from './types.js'

/** Sends an EVALSHA. */
export type SendScript = (
  sha1: string,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>

/** What Redis reads before a word of so many bytes; made once for all lengths that are common. */
const prefixes = Array.from({ length: 128 }, (_, bytes) => `\r\n$${bytes}\r\n`)

const textReplies = { replyEncoding: 'utf8' } as const

/**
 * An EVALSHA that is written in one piece. ioredis copies the arguments of a command several times, looks at each, and
 * puts a text together from them bit by bit. With as many short ones as a script of ours has, that is about half of what
 * a cycle costs in the client.
 */
class ScriptCommand extends Command {
  readonly #words: readonly string[]

  constructor(words: string[]) {
    super('evalsha', [], textReplies)
    this.#words = words
    this.args = words
  }

  override toWritable(socket: object): string | Buffer {
    let text = `*${this.#words.length + 1}\r\n$7\r\nevalsha`
    for (const word of this.#words) text += (prefixes[word.length] ?? `\r\n$${word.length}\r\n`) + word
    text += '\r\n'
    // Lengths are counted in bytes: so it was right if every character takes one.
    return Buffer.byteLength(text) === text.length ? text : super.toWritable(socket)
  }
}

/** How to send scripts on this connection. One of another copy of ioredis may not understand our commands. */
export function scriptSender(connection: CommandConnection): SendScript {
  if (!(connection instanceof Redis || connection instanceof Cluster)) {
    return (sha1, keys, args) => connection.evalsha(sha1, keys.length, ...keys, ...args)
  }
  return (sha1, keys, args) => {
    const words = [sha1, String(keys.length)]
    for (const key of keys) words.push(key)
    for (const arg of args) words.push(typeof arg === 'string' ? arg : String(arg))
    const command = new ScriptCommand(words)
    connection.sendCommand(command)
    return command.promise
  }
}
