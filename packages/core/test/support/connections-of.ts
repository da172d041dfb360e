import type { RedisServer } from '@holdfast/testkit'

/** A connection as CLIENT LIST shows it. */
export interface Connection {
  readonly id: string
  readonly line: string
}

/** The connections that a server has of our clients, or of one of them. */
export async function connectionsOf(server: RedisServer, clientId = ''): Promise<Connection[]> {
  const lines = String(await server.call('CLIENT', 'LIST')).split('\n')
  return lines
    .filter((line) => line.includes(` name=holdfast:${clientId}`))
    .map((line) => ({ line, id: /^id=(\d+)/.exec(line)?.[1] ?? '' }))
}
