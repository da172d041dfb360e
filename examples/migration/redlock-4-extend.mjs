// redlock 4, with code that extends its lock.
import { bridge, Holdfast } from '@holdfast/core'
import { Redis } from 'ioredis'
import Redlock from 'redlock-4'

const redis = new Redis(process.env.REDIS_URL)
const redlock = new Redlock([redis], { retryCount: 10, retryDelay: 200 })
const holdfast = new Holdfast({ redis })

export async function before(name, work, ttl = 30_000) {
  const lock = await redlock.lock(name, ttl)
  const lost = new AbortController()
  const extend = () => lock.extend(ttl).catch((error) => lost.abort(error))
  const timer = setInterval(extend, ttl / 3)
  try {
    return await work(lost.signal)
  } finally {
    clearInterval(timer)
    await lock.unlock()
  }
}

/** For the deployment in between, while processes with the code above still run. */
export function during(name, work, ttl) {
  const lock = bridge((inner) => before(name, inner, ttl), holdfast.getLock(name))
  return lock.withLock({ waitMs: 2_000 }, work)
}

export function after(name, work) {
  return holdfast.getLock(name).withLock({ waitMs: 2_000 }, work)
}
