/** What is used of a client of node-redis: that of `createClient`, 5 or 6, with whatever modules and scripts. */
export interface NodeRedisClient {
  readonly isReady: boolean
  readonly options?: object | undefined
  /** Of a client that is not connected. */
  duplicate(overrides?: object): NodeRedisClient
  connect(): Promise<unknown>
  destroy(): void
  sendCommand(args: readonly string[]): Promise<unknown>
  subscribe(channel: string, listener: (message: string, channel: string) => void): Promise<void>
  unsubscribe(channel: string): Promise<void>
  sSubscribe(channel: string, listener: (message: string, channel: string) => void): Promise<void>
  sUnsubscribe(channel: string): Promise<void>
  on(event: string, listener: (given: unknown) => void): unknown
}

/** `createClient` of `redis` or `@redis/client`. */
export type CreateClient = (options?: object) => NodeRedisClient
