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

/** Runs `use`, and disconnects. Rejects with what ended the connection, where ioredis says only that it is closed. */
export async function using<T>(connection: Redis | Cluster, use: () => Promise<T>): Promise<T> {
  let end: Error | undefined
  connection.on('error', (error: Error) => {
    end = error
  })
  try {
    return await use()
  } catch (error) {
    throw error instanceof Error && error.message === 'Connection is closed.' && end ? end : error
  } finally {
    connection.disconnect()
  }
}
