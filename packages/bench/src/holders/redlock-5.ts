import { Redis } from 'ioredis'
import type { OpenHolder } from './holder.js'
import { CallbackHolds } from './callback-holds.js'

export const holdWithRedlock5: OpenHolder = async (url, leaseMs) => {
  const { default: Redlock } = await import('redlock-5')
  const redis = new Redis(url)
  const redlock = new Redlock([redis])
  const inside = new CallbackHolds((name, body) => redlock.using([name], leaseMs, body))
  return {
    hold: (name) => inside.hold(name),
    lost: () => inside.lost,
  }
}
