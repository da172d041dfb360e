import { createHash } from 'node:crypto'

/** The longest name that PostgreSQL keeps as it is, in bytes. */
const longest = 63

/** The channel of a client, which it listens on for all its locks. */
export function channelOf(clientId: string): string {
  const channel = `holdfast:${clientId}`
  if (/^[\w:-]+$/.test(channel) && channel.length <= longest) return channel
  return `holdfast:${createHash('sha256').update(clientId).digest('base64url').slice(0, 32)}`
}
