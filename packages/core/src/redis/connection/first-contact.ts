import type { CommandConnection } from './types.js'

/** What a connection shows of a server that may not be what it is taken for, until it has once turned out to be Redis. */
export class FirstContact {
  readonly #commands: Pick<CommandConnection, 'stream' | 'awaits' | 'once'>
  #isRedis = false

  constructor(commands: Pick<CommandConnection, 'stream' | 'awaits' | 'once'>) {
    this.#commands = commands
    commands.once('ready', () => {
      this.#isRedis = true
    })
  }

  /** Why no reply has come yet, if the connection shows it. */
  get doubt(): string | undefined {
    if (this.#isRedis) return undefined
    const { stream, awaits } = this.#commands
    return awaits === 'tls' || stream?.secureConnecting === true ? noTls : undefined
  }

  /** The error that broke the connection, with what it probably means. */
  explained(error: Error): Error {
    if (this.#isRedis) return error
    const { stream, awaits } = this.#commands
    const seen = stream ? this.#meaningOf(error.message, stream) : undefined
    const meaning = awaits === undefined ? seen : meanings[awaits]
    // A command that timed out says it already.
    if (meaning === undefined || error.message.includes(meaning)) return error
    return new Error(`${meaning} (${error.message})`, { cause: error })
  }

  #meaningOf(
    message: string,
    { secureConnecting = false, bytesRead }: NonNullable<CommandConnection['stream']>,
  ): string | undefined {
    if (secureConnecting) return withoutTls.test(message) ? noTls : undefined
    return bytesRead === 0 && withoutReply.test(message) ? noRedis : undefined
  }
}

/** What ends a handshake with a server that does not know what it is. */
const withoutTls = /ECONNRESET|ETIMEDOUT|before secure TLS|wrong version number|packet length too long/

/** Not `connect ECONNRESET`: that connection was never accepted. */
const withoutReply = /\b(read ECONNRESET|write (EPIPE|ECONNRESET)|the connection broke)\b/

const noTls =
  'no TLS connection has been established; if this server does not speak TLS, begin the URL with redis:// or leave out tls'

const noRedis =
  'what listens there closed the connection without a reply, as a Redis does that has reached its maxclients: raise that, or close ' +
  'connections; otherwise check that host and port are those of Redis, and if this server speaks TLS, begin the URL with rediss:// or pass tls'

const meanings = { tls: noTls, reply: noRedis }
