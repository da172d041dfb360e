import { openRedisClient } from './clients.js'

// Channels of Redisson, as they look on the wire. Names are spelled out on purpose.

/** How releases are published: Redisson's clients listen to one kind of channel only. */
export type Publish = 'PUBLISH' | 'SPUBLISH'

/** Redisson's rule for the names of what belongs to an object. */
export const tagged = (lock: string): string => (lock.includes('{') ? lock : `{${lock}}`)

/** The channel on which Redisson receives the releases of that lock. */
export const releaseChannel = (lock: string): string => `redisson_lock__channel:${tagged(lock)}`

/** The same of that read/write lock. */
export const readWriteChannel = (lock: string): string => `redisson_rwlock:${tagged(lock)}`

/** What arrives on a channel, as a client of Redisson subscribes to it. Resolves when the subscription is confirmed. */
export async function listen(
  { url }: { readonly url: string },
  publish: Publish,
  channel: string,
): Promise<readonly string[]> {
  const subscriber = openRedisClient(url)
  const messages: string[] = []
  const onMessage = (_: string, message: string) => messages.push(message)
  subscriber.on('message', onMessage).on('smessage', onMessage)
  await (publish === 'SPUBLISH' ? subscriber.ssubscribe(channel) : subscriber.subscribe(channel))
  return messages
}
