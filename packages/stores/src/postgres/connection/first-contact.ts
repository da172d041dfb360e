import type { Duplex } from 'node:stream'

/** What listens at the address is not PostgreSQL, or nothing behind it is reached. */
export class NotPostgresError extends Error {}

/** The server wants something else than the connection was told: no TLS, or a password. */
export class MismatchError extends Error {}

/** What a connection shows of a server that may not be what it is taken for, until it has been let in. */
export class FirstContact {
  #stream: Duplex | undefined
  #isLetIn = false

  began(stream: Duplex): void {
    this.#stream = stream
  }

  letIn(): void {
    this.#isLetIn = true
  }

  /** Why no reply has come yet, if the connection shows it. */
  get doubt(): string | undefined {
    const isSilent = !this.#isLetIn && isConnected(this.#stream) && this.#stream.bytesRead === 0
    return isSilent ? silent : undefined
  }

  /** Why the connection ended, with what that probably means. */
  explained(error: Error | undefined): Error {
    if (this.#isLetIn) return error ?? new Error('the connection ended')
    // `pg` 8 gives these no code.
    if (error?.message === 'timeout expired' && this.doubt !== undefined)
      return new Error(silent, { cause: error })
    if (error?.message === 'The server does not support SSL connections')
      return new MismatchError(noTls, { cause: error })
    if (error !== undefined && /password must be a string/i.test(error.message))
      return new MismatchError(noPassword, { cause: error })
    const isOver = error === undefined || isAbout(error, 'ECONNRESET') || isAbout(error, 'EPIPE')
    if (isOver || error.message === 'There was an error establishing an SSL connection')
      return new NotPostgresError(notPostgres, { cause: error })
    return error
  }
}

const isAbout = (error: Error, code: string): boolean => 'code' in error && error.code === code

/** A socket; streams of other makers do not tell. */
const isConnected = (stream: Duplex | undefined): stream is Duplex & { readonly bytesRead: unknown } =>
  stream !== undefined && 'bytesRead' in stream && 'connecting' in stream && stream.connecting === false

const silent =
  'the connection was accepted, and nothing has come back: unless the server stands still, check that host and port are those of ' +
  'PostgreSQL'

const notPostgres =
  'what listens there ended the connection without a reply of PostgreSQL: check that host and port are those of PostgreSQL, and that a proxy ' +
  'or pooler between reaches it'

const noTls = 'the server does not speak TLS: leave out sslmode and ssl, or turn ssl on in its configuration'

const noPassword =
  'the server asks for a password, and got none: give it in the URL or as config.password; a function there must return a string'
