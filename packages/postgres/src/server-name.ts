import { Socket } from 'node:net'
import { Client } from 'pg'

/** Names the database in messages: never a user or a password. */
export function serverName(config: object): string {
  const { host, port, database = '' } = new Client({ ...config, stream: () => new Socket() })
  return `PostgreSQL at ${host.includes(':') ? `[${host}]` : host}:${port}/${database}`
}
