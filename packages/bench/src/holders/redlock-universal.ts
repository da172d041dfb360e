import { Redis } from 'ioredis'
import type { OpenHolder } from './holder.js'
import { CallbackHolds } from './callback-holds.js'

export const holdWithRedlockUniversal: OpenHolder = async (url, leaseMs) => {
  const { createLock, IoredisAdapter } = await import('redlock-universal')
  const redis = new Redis(url)
  const adapter = new IoredisAdapter(redis)
  const inside = new CallbackHolds((name, body) =>
    createLock({ adapter, key: name, ttl: leaseMs, performance: 'lean' }).using(body),
  )
  return {
    hold: (name) => inside.hold(name),
    lost: () => inside.lost,
  }
}
