// redlock 4, installed as `redlock-4` here.
import { bridge, Holdfast } from '@holdfast/core'
import { Redis } from 'ioredis'
import Redlock from 'redlock-4'

const redis = new Redis(process.env.REDIS_URL)
const redlock = new Redlock([redis], { retryCount: 10, retryDelay: 200 })
const holdfast = new Holdfast({ redis })

export async function before(name, work) {
  const lock = await redlock.lock(name, 30_000)
  try {
    return await work()
  } finally {
    await lock.unlock()
  }
}

/** For the deployment in between, while processes with the code above still run. */
export function during(name, work) {
  return bridge((inner) => before(name, inner), holdfast.getLock(name)).withLock({ waitMs: 2_000 }, work)
}

export function after(name, work) {
  return holdfast.getLock(name).withLock({ waitMs: 2_000 }, work)
}
