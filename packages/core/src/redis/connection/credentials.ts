import { toError } from '@holdfast/pubsub'
import { abortablePause, timedOut, withTimeout } from '../../util/timeouts.js'
import { kindOf } from '../../util/mistakes.js'
import { InvalidArgumentError } from '../../errors/errors.js'
import { noteLogin } from '../errors.js'
import type { AskCredentials, IoredisConnection, RedisCredentials } from './types.js'

/** Where the credentials of a connection come from, whenever one is made. */
export type CredentialsSource =
  | {
      /** Asks the application. Rejects if it does not have them in time. */
      readonly ask: AskCredentials
    }
  | {
      /** What the options of the application's client say by now. */
      readonly current: () => Login
    }

/** Either is left as it is where it is missing. */
interface Login {
  readonly username?: string | null | undefined
  readonly password?: string | null | undefined
}

/**
 * Has a provider asked, whose reply is checked.
 *
 * @param limitMs - how long it may take
 */
export const askOf =
  (provide: () => unknown, limitMs: number): AskCredentials =>
  async (signal) => {
    let given: unknown
    try {
      given = await withTimeout(Promise.resolve(provide()), limitMs, signal)
    } catch (cause) {
      signal.throwIfAborted()
      throw new Error(`credentials failed: ${toError(cause).message}`, { cause })
    }
    if (given === timedOut) throw new Error(`credentials did not resolve within ${limitMs} ms`)
    return checked(given)
  }

/** The message names no value: it may be a password. */
function checked(given: unknown): RedisCredentials {
  const fields: { username?: unknown; password?: unknown } =
    typeof given === 'object' && given !== null ? given : {}
  const { username, password } = fields
  const isUser = username === undefined || typeof username === 'string'
  if (typeof password === 'string' && password !== '' && isUser) return { username, password }
  const got = kindOf(given) === 'an object' ? wrongField(password, isUser) : kindOf(given)
  throw new Error(`credentials must return { username?, password }, got ${got}`)
}

const wrongField = (password: unknown, isUser: boolean): string =>
  isUser
    ? `${password === '' ? 'an empty string' : kindOf(password)} as password`
    : 'a username that is not a string'

/**
 * Has a connection of ioredis, and those that are duplicated from it, get its credentials before each attempt to connect. ioredis itself copies
 * them once, when the connection is made (5.11.1 and 6.0.0). They are asked for while it counts as connecting, so that commands wait for it.
 *
 * @param retryAfterMs - when a provider is asked again after so many failures; without it the connection ends with the first
 */
export function authenticate<C extends IoredisConnection>(
  connection: C,
  source: CredentialsSource,
  retryAfterMs?: (failures: number) => number,
): C {
  const connector: unknown = Reflect.get(connection, 'connector')
  if (!isConnector(connector)) {
    // Without a provider it logs in as before: with what the options said when it was made.
    if ('current' in source) return connection
    throw new InvalidArgumentError('credentials need ioredis 5 or 6; pass a user and a password in redis')
  }
  const connect = connector.connect.bind(connector)
  const disconnect = connector.disconnect.bind(connector)
  const duplicate = connection.duplicate.bind(connection)
  if ('ask' in source) connection.on('error', noteLogin)
  let ended = new AbortController()
  const loginBy = async (ask: AskCredentials, signal: AbortSignal): Promise<Login> => {
    for (let failures = 1; ; failures++) {
      try {
        return await ask(signal)
      } catch (thrown) {
        signal.throwIfAborted()
        if (!retryAfterMs) throw thrown
        connection.emit('error', toError(thrown))
        await abortablePause(retryAfterMs(failures), [signal])
      }
    }
  }
  connector.connect = async (...args) => {
    ended = new AbortController()
    const { signal } = ended
    logIn(connection, 'ask' in source ? await loginBy(source.ask, signal) : source.current())
    return connect(...args)
  }
  connector.disconnect = () => {
    ended.abort(new Error('Connection is closed.'))
    disconnect()
  }
  connection.duplicate = (override) => authenticate(duplicate(override), source)
  return connection
}

/** What opens the sockets of a connection of ioredis. */
interface Connector {
  connect(...args: unknown[]): Promise<unknown>
  disconnect(): void
}

const isConnector = (given: unknown): given is Connector =>
  typeof given === 'object' && given !== null && 'connect' in given && 'disconnect' in given

/** The attempt that is under way has copied what the options said when it began. */
function logIn(connection: IoredisConnection, login: Login): void {
  const { options } = connection
  if (login.username != null) options.username = login.username
  if (login.password != null) options.password = login.password
  const { username, password } = options
  const condition: unknown = Reflect.get(connection, 'condition')
  if (typeof condition !== 'object' || condition === null) return
  Reflect.set(condition, 'auth', username ? [username, password] : password)
}
