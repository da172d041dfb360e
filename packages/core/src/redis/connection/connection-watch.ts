import { toError } from '@holdfast/pubsub'
import type { Connections } from './connections.js'
import { isAboutDatabase, isRefusal, LookupError } from '../errors.js'
import { ServerLookup } from './server-lookup.js'
import type { CommandConnection } from './types.js'

/** What happens to a connection. */
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
  #epoch = 0
  /** Why there is no connection; ioredis rejects the commands that wait for one saying only that it gave up. */
  #error: Error | undefined
  /**
   * Why the server refused the database, until the connection is closed for that. Commands that ioredis had sent by then ran
   * in another database, which does not have this one's locks.
   */
  #wrongDatabase: Error | undefined

  constructor(connections: Connections, events: WatchEvents) {
    const { commands, cluster } = connections
    this.#commands = commands
    this.#lookup = new ServerLookup(connections)
    let wasReady = false
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
      if (!wasReady && this.refusal) events.onRefused()
    })
    commands.on('ready', () => {
      // Without a ready check ioredis does not wait for the reply about the database.
      if (!isAboutDatabase(this.#error)) this.#error = undefined
      if (wasReady) events.onReconnect()
      wasReady = true
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

  /** Why commands need not be tried while ioredis pauses between attempts: a wrong password stays wrong. */
  get refusal(): Error | undefined {
    if (!this.#error || !isRefusal(this.#error)) return undefined
    const { status } = this.#commands
    // While ioredis looks for the server, commands wait in it without limit, and may run long after the caller has moved on.
    const isDown = this.#error instanceof LookupError ? status !== 'ready' : status === 'reconnecting'
    return isDown ? this.#error : undefined
  }

  /** The latest error that may explain why there is no reply to what was sent at that instant. */
  errorSince(at: number): Error | undefined {
    return this.#error ?? this.#lookup.failureSince(at)
  }

  /** A reply came. Throws when it may be that of another database. */
  onReply(): void {
    if (this.#wrongDatabase) throw this.#wrongDatabase
    this.#error = undefined
  }

  /** The error that says why a command got no reply. */
  explained(error: Error): Error {
    if (!gaveUp(error)) return error
    return this.#error ?? new Error('the connection broke before a reply arrived', { cause: error })
  }
}

/**
 * Whether ioredis dropped a command because its connection broke, without saying why: it mostly names an option of its own.
 * By the text, since minifiers rename classes.
 */
const gaveUp = ({ message }: Error): boolean =>
  message === 'Connection is closed.' || message.startsWith('Reached the max retries per request limit')
