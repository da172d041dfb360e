import { toError } from '@holdfast/pubsub'
import type { Connections } from './connections.js'
import { isAboutDatabase, isRefusal, LookupError } from '../errors.js'
import { FirstContact, ServerLookup } from './server-lookup.js'
import { limitHandshake } from './connection-options.js'
import { connectionLost } from '../../util/symbols.js'
import type { CommandConnection } from './types.js'

export interface ConnectionEvents {
  /** It broke: replies to what was in flight are lost. */
  onBreak(): void
  /** It is usable again after a break. */
  onReconnect(): void
  onError(error: Error): void
}

/** What only the sender of commands needs to know. */
export interface WatchEvents extends ConnectionEvents {
  /** There has been no connection yet, and repeating what waits for one makes no sense. */
  onRefused(): void
}

/** Counts how often the connections for commands broke, and knows why there is none. */
export class ConnectionWatch {
  readonly #commands: CommandConnection
  readonly #lookup: ServerLookup
  readonly #contact: FirstContact
  #epoch = 0
  /** Why there is no connection; ioredis rejects the commands that wait for one saying only that it gave up. */
  #error: Error | undefined
  /**
   * Why the server refused the database, until the connection is closed for that. Commands that ioredis had sent by then ran
   * in another database, which does not have this one's locks.
   */
  #wrongDatabase: Error | undefined
  #wasReady = false

  constructor(connections: Connections, events: WatchEvents) {
    const { commands, cluster, connectTimeoutMs } = connections
    if (!cluster) {
      limitHandshake(commands, connectTimeoutMs, (error) => {
        this.#error = error
        events.onError(error)
      })
    }
    this.#commands = commands
    this.#lookup = new ServerLookup(connections)
    this.#contact = new FirstContact(commands)
    commands.on('error', (given) => {
      const error = toError(given)
      // ioredis rejects its own pending commands with this; the cause was already reported.
      if (gaveUp(error) && this.#error) return
      this.#error = this.#lookup.explained(this.explained(error))
      if (isAboutDatabase(error)) {
        this.#wrongDatabase = error
        commands.disconnect(true)
      }
      events.onError(this.#error)
      if (!this.#wasReady && this.refusal) events.onRefused()
    })
    commands.on('ready', () => {
      // Without a ready check ioredis does not wait for the reply about the database: https://github.com/redis/ioredis/issues/1213
      if (!isAboutDatabase(this.#error)) this.#error = undefined
      if (this.#wasReady) events.onReconnect()
      this.#wasReady = true
    })
    const onBreak = (): void => {
      this.#wrongDatabase = undefined
      this.#epoch++
      events.onBreak()
    }
    if (cluster) {
      cluster.on('-node', onBreak)
      cluster.on('+node', () => {
        if (this.#epoch > 0) events.onReconnect()
      })
    } else {
      commands.on('close', onBreak)
    }
  }

  get epoch(): number {
    return this.#epoch
  }

  /**
   * Why commands need not be tried while ioredis pauses between attempts: a wrong password stays wrong, and addresses of which
   * none was ever reached may be wrong.
   */
  get refusal(): Error | undefined {
    const error = this.#error
    const { status } = this.#commands
    // While ioredis looks for the server, commands wait in it without limit, and may run long after the caller has moved on:
    // https://github.com/redis/ioredis/issues/285
    if (error instanceof LookupError && status !== 'ready') {
      return error.isRefusal || (error.isUnreached && !this.#wasReady) ? error : undefined
    }
    return isRefusal(error) && status === 'reconnecting' ? error : undefined
  }

  /** The latest error that may explain why there is no reply to what was sent at that instant. */
  errorSince(at: number): Error | undefined {
    return this.#error ?? this.#lookup.failureSince(at)
  }

  /** Why there is no reply yet, if the connection shows it. */
  get doubt(): string | undefined {
    return this.#contact.doubt
  }

  /** A reply came. Throws when it may be that of another database. */
  onReply(): void {
    if (this.#wrongDatabase) throw this.#wrongDatabase
    this.#error = undefined
  }

  /** The error that says why a command got no reply. */
  explained(error: Error): Error {
    if (!gaveUp(error)) return this.#contact.explained(error)
    if (this.#error) return this.#error
    return this.#contact.explained(new Error('the connection broke before a reply arrived', { cause: error }))
  }
}

/**
 * Whether a command was dropped because its connection broke. ioredis does not say why, and mostly names an option of its own
 * (5.11.1 and 6.0.0). By the text, since minifiers rename classes.
 */
const gaveUp = (error: Error): boolean =>
  connectionLost in error ||
  error.message === 'Connection is closed.' ||
  error.message.startsWith('Reached the max retries per request limit')
