import type { Cluster, Redis } from 'ioredis'

/** Options of a connection that fails rather than waits. */
export interface Limits {
  readonly lazyConnect: true
  readonly keyPrefix: ''
  readonly retryStrategy: () => null
  readonly maxRetriesPerRequest: number
  readonly connectTimeout: number
  readonly commandTimeout: number
}

export const limitsOf = (timeoutMs: number): Limits => ({
  lazyConnect: true,
  keyPrefix: '',
  retryStrategy: () => null,
  maxRetriesPerRequest: 1,
  connectTimeout: timeoutMs,
  commandTimeout: timeoutMs,
})

/** Runs `use`, and disconnects. */
export async function using<T>(connection: Redis | Cluster, use: () => Promise<T>): Promise<T> {
  connection.on('error', () => undefined)
  try {
    return await use()
  } finally {
    connection.disconnect()
  }
}
