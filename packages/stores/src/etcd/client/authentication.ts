import { authenticateOf, tokenOf } from '../wire/leases.js'
import { Message } from '../wire/protobuf.js'
import type { Connection } from './connection.js'
import { StatusError } from './failures.js'

/** A user of etcd. */
export interface User {
  readonly username: string
  readonly password: string
}

/** The token that a user's requests carry on one connection. A restart of the server forgets it, and so do 5 idle minutes. */
export class Authentication {
  readonly #user: User
  #token: string | undefined
  #running: Promise<void> | undefined

  constructor(user: User) {
    this.#user = user
  }

  /** `undefined`: the server has no users. */
  get token(): string | undefined {
    return this.#token
  }

  /** Gets a token; calls that overlap get one together. */
  start(connection: Connection, timeoutMs: number): Promise<void> {
    this.#running ??= this.#authenticate(connection, timeoutMs).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #authenticate(connection: Connection, timeoutMs: number): Promise<void> {
    const { username, password } = this.#user
    const request = authenticateOf(username, password)
    try {
      const reply = await connection.call('Auth/Authenticate', request, timeoutMs, {})
      this.#token = tokenOf(new Message(reply))
    } catch (error) {
      // As etcd's own clients: before `auth enable` a password does no harm.
      if (!(error instanceof StatusError && error.message.includes('not enabled'))) throw error
    }
  }
}
