import type { CredentialsSource } from './credentials.js'

/** Where one server is: a host and a port, or the path of a Unix socket. */
export interface SocketAddress {
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly path?: string | undefined
  readonly tls?: boolean | undefined
}

/** The options of a client of node-redis that Holdfast reads itself. */
export interface GivenOptions extends CredentialsSource {
  readonly url?: string | undefined
  readonly socket?: SocketAddress | undefined
  readonly database?: number | undefined
  readonly keyPrefix?: string | Uint8Array | undefined
}

/**
 * The options of a connection of our own, over those of the client that it is duplicated from, which belong to the application and are
 * never changed.
 *
 * - nothing is sent by node-redis itself: no handshake, whose refusals do not say what was refused, and no pings
 * - nothing is queued while there is no connection, and nothing is sent a second time on another
 * - replies are those of RESP2, undecoded but for texts, whatever the application wants for itself
 *
 * @param resp3 - whether the client speaks RESP3 unless `RESP` says otherwise
 * @param signal - destroys the socket, also one that is still connecting, which `destroy()` does not (6.3.1)
 */
export function linkOptions(
  { socket }: GivenOptions,
  address: SocketAddress | undefined,
  connectTimeoutMs: number,
  signal: AbortSignal,
  resp3: boolean,
): object {
  return {
    // It has been merged into the other options. Parsed again, it would override them.
    url: undefined,
    socket: {
      ...socket,
      ...address,
      connectTimeout: connectTimeoutMs,
      socketTimeout: undefined,
      reconnectStrategy: false,
      signal,
    },
    // For either version what has it speak RESP2 without being told so by a HELLO.
    RESP: resp3 ? 2 : undefined,
    username: undefined,
    password: undefined,
    credentialsProvider: undefined,
    database: undefined,
    name: undefined,
    disableClientInfo: true,
    readonly: false,
    keyPrefix: undefined,
    // Or each command of node-redis 6 would get a timer.
    commandOptions: { timeout: undefined },
    commandsQueueMaxLength: undefined,
    disableOfflineQueue: true,
    pingInterval: undefined,
    clientSideCache: undefined,
    emitInvalidate: undefined,
    // What is queued would move to another connection.
    maintNotifications: 'disabled',
  }
}
