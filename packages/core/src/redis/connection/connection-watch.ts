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

/** Knows how often the connections for commands broke, and why there is none. */
export class ConnectionWatch {
  readonly #commands: CommandConnection
  #breaks = 0
  /** Why there is no connection; ioredis tells those who wait for one only that it gave up. */
  #fault: Error | undefined
  /**
   * Why the server refused the database, until the connection is closed for that. What ioredis had sent by then was carried
   * out in another one, where the locks of this one are not.
   */
  #wrongDatabase: Error | undefined

  constructor({ commands, cluster }: Connections, events: ConnectionEvents) {
    this.#commands = commands
    let wasReady = false
    commands.on('error', (given) => {
      const error = given instanceof Error ? given : new Error(String(given))
      // By that ioredis ends what it sent itself; what broke the connection was told before.
      if (gaveUp(error) && this.#fault) return
      this.#fault = this.explained(error)
      if (isAboutDatabase(error)) {
        this.#wrongDatabase = error
        commands.disconnect(true)
      }
      events.onError(this.#fault)
    })
    commands.on('ready', () => {
      // Without a ready check ioredis does not wait for word of the database.
      if (!isAboutDatabase(this.#fault)) this.#fault = undefined
      if (wasReady) events.onReconnect()
      wasReady = true
    })
    const onBreak = (): void => {
      this.#wrongDatabase = undefined
      this.#breaks++
      events.onBreak()
    }
    if (cluster) {
      cluster.on('node error', () => undefined)
      cluster.on('-node', onBreak)
      cluster.on('+node', () => {
        if (this.#breaks > 0) events.onReconnect()
      })
    } else {
      commands.on('close', onBreak)
    }
  }

  get breaks(): number {
    return this.#breaks
  }

  /** While ioredis rests between attempts, a wrong password is a wrong password. */
  assertNotRefused(): void {
    if (this.#commands.status === 'reconnecting' && isRefusal(this.#fault)) throw this.#fault
  }

  /** A reply came. Throws when it may be that of another database. */
  onReply(): void {
    if (this.#wrongDatabase) throw this.#wrongDatabase
    this.#fault = undefined
  }

  /** The error that says why a command got no answer. */
  explained(error: Error): Error {
    if (!gaveUp(error)) return error
    return this.#fault ?? new Error('the connection broke before an answer came', { cause: error })
  }
}

/** Whether ioredis gave a command up because its connection broke, and says so in words about an option of its own. */
const gaveUp = ({ name }: Error): boolean => name === 'MaxRetriesPerRequestError'
