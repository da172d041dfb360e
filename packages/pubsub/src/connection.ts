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
