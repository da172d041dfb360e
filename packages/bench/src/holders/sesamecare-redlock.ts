import { Redis } from 'ioredis'
import type { OpenHolder } from './holder.js'
import { CallbackHolds } from './callback-holds.js'

export const holdWithSesamecareRedlock: OpenHolder = async (url, leaseMs) => {
  const { Redlock } = await import('@sesamecare-oss/redlock')
  const redis = new Redis(url)
  const redlock = new Redlock([redis])
  const inside = new CallbackHolds((name, body) => redlock.using([name], leaseMs, body))
  return {
    hold: (name) => inside.hold(name),
    lost: () => inside.lost,
  }
}
