import type { RedisServer } from '../../server/redis-server.js'

/** One field of INFO, as text. Throws where the server has no such field. */
export async function readInfo(server: RedisServer, section: string, field: string): Promise<string> {
  const info = String(await server.call('INFO', section))
  const line = info.split('\r\n').find((text) => text.startsWith(`${field}:`))
  if (line === undefined) throw new Error(`INFO ${section} of ${server.url} has no ${field}`)
  return line.slice(field.length + 1)
}
