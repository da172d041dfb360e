import { toError } from '@holdfast/pubsub'
import type { Connections } from './connections.js'
import { isAboutDatabase, isRefusal } from '../errors.js'
import type { CommandConnection } from './types.js'

/** What happens to a connection. */
export interface ConnectionEvents {
  /** It broke: replies to what was in flight are lost. */
  onBreak(): void
  /** It is usable again after a break. */
  onReconnect(): void
  onError(error: Error): void
}

/** Counts how often the connections for commands broke, and knows why there is none. */
export class ConnectionWatch {
  readonly #commands: CommandConnection
  #epoch = 0
  /** Why there is no connection; ioredis rejects the commands that wait for one only with the news that it gave up. */
  #error: Error | undefined
  /**
   * Why the server refused the database, until the connection is closed for that. What ioredis had sent by then was carried
   * out in another one, where the locks of this one are not.
   */
  #wrongDatabase: Error | undefined

  constructor({ commands, cluster }: Connections, events: ConnectionEvents) {
    this.#commands = commands
    let wasReady = false
    commands.on('error', (given) => {
      const error = toError(given)
      // ioredis rejects its own pending commands with this; the cause was already reported.
      if (gaveUp(error) && this.#error) return
      this.#error = this.explained(error)
      if (isAboutDatabase(error)) {
        this.#wrongDatabase = error
        commands.disconnect(true)
      }
      events.onError(this.#error)
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
      cluster.on('node error', () => undefined)
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
    return this.#commands.status === 'reconnecting' && isRefusal(this.#error) ? this.#error : undefined
  }

  /** A reply came. Throws when it may be that of another database. */
  onReply(): void {
    if (this.#wrongDatabase) throw this.#wrongDatabase
    this.#error = undefined
  }

  /** The error that says why a command got no reply. */
  explained(error: Error): Error {
    if (!gaveUp(error)) return error
    return this.#error ?? new Error('the connection broke before a reply came', { cause: error })
  }
}

/** Whether ioredis dropped a command because its connection broke, which it words as being about an option of its own. */
const gaveUp = ({ name }: Error): boolean => name === 'MaxRetriesPerRequestError'
