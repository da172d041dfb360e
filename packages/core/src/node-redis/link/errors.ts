import { types } from 'node:util'
import { connectionLost } from '../../engine/index.js'

/** An error reply of the server: its text, and the name of the command, whose arguments may be secret. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError'
  readonly command: { readonly name: string }

  constructor(message: string, command: string) {
    super(message)
    this.command = { name: command.toLowerCase() }
  }

  /** What the server's text begins with, such as NOPERM. */
  get code(): string {
    return /^\S*/.exec(this.message)?.[0] ?? ''
  }
}

/** A command gets no reply: its connection broke, or never came to be. */
export class ConnectionLostError extends Error {
  readonly [connectionLost] = true

  constructor(cause?: Error) {
    super(cause === undefined ? 'the connection was closed' : `the connection was lost: ${cause.message}`, {
      cause,
    })
  }
}

/** Errors of Node.js may be of another realm than this code. */
export const toError = (thrown: unknown): Error =>
  types.isNativeError(thrown) ? thrown : new Error(String(thrown))
