// @sesamecare-oss/redlock
import { bridge, Holdfast } from '@holdfast/core'
import { Redlock } from '@sesamecare-oss/redlock'
import { Redis } from 'ioredis'

const redis = new Redis(process.env.REDIS_URL)
const redlock = new Redlock([redis])
const holdfast = new Holdfast({ redis })

export function before(name, work, duration = 30_000) {
  // Not -1: these settings apply to extensions too, and a lost lock would be extended in vain forever.
  return redlock.using([name], duration, { retryCount: 10, retryDelay: 200 }, work)
}

/** For the deployment in between, while processes with the code above still run. */
export function during(name, work, duration) {
  return bridge((inner) => before(name, inner, duration), holdfast.getLock(name)).withLock(work)
}

export function after(name, work) {
  return holdfast.getLock(name).withLock(work)
}
