import { startProxy, type FaultProxy } from '@holdfast/testkit'
import { Redis, type RedisOptions } from 'ioredis'
import type { Holdfast } from '../../src/index.js'
import { closeAfterTest } from './clients.js'

/** A client whose replies and whose messages can be held up apart from each other. `closeAll` ends it. */
export interface TwoWays {
  readonly holdfast: Holdfast
  readonly replies: FaultProxy
  readonly messages: FaultProxy
  /** What has reached it on any channel, but for what it sends itself to find out whether it may. */
  readonly heard: readonly string[]
}

export async function openTwoWays(
  server: { readonly host: string; readonly port: number },
  open: (redis: Redis) => Holdfast,
): Promise<TwoWays> {
  const [replies, messages] = await Promise.all([startProxy(server), startProxy(server)])
  closeAfterTest(() => Promise.all([replies.close(), messages.close()]))
  const heard: string[] = []
  class Template extends Redis {
    override duplicate(override: Partial<RedisOptions> = {}): Redis {
      // Only the subscriber leaves it to its hub to connect again.
      const isSubscriber = override.retryStrategy === null
      const redis = super.duplicate({ ...override, port: (isSubscriber ? messages : replies).port })
      if (isSubscriber) {
        redis.on('message', (_, message) => {
          if (message !== 'hello') heard.push(message)
        })
      }
      return redis
    }
  }
  const holdfast = open(new Template({ lazyConnect: true }))
  return { holdfast, replies, messages, heard }
}
