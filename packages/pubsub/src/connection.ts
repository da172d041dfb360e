/** What the hub uses of an ioredis `Redis` (5 or 6), so that neither version is needed at run time. */
export interface SubscriberConnection {
  /** `end` once the connection is over for good. */
  readonly status: string
  /** The socket, once there is one. */
  readonly stream?: { destroy(): unknown }
  connect(): Promise<void>
  subscribe(channel: string): Promise<unknown>
  unsubscribe(channel: string): Promise<unknown>
  ping(): Promise<unknown>
  disconnect(): void
  on(event: 'message', listener: (channel: string, message: string) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'close' | 'end', listener: () => void): unknown
}

const methods = ['on', 'connect', 'subscribe', 'unsubscribe', 'ping', 'disconnect'] as const

/**
 * What `connect` returned, which may have been written without types.
 *
 * @throws TypeError if it is no connection
 */
export function checkConnection(given: SubscriberConnection): SubscriberConnection {
  const value: unknown = given
  const isObject = typeof value === 'object' && value !== null
  const missing = isObject && methods.find((method) => typeof Reflect.get(value, method) !== 'function')
  if (isObject && missing === undefined) return given
  const kind = isObject ? `an object without ${String(missing)}()` : value === null ? 'null' : typeof value
  throw new TypeError(`connect must return an ioredis connection, got ${kind}`)
}
