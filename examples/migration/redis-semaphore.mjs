// redis-semaphore's Mutex
import { bridge, Holdfast } from '@holdfast/core'
import { Redis } from 'ioredis'
import { Mutex } from 'redis-semaphore'

const redis = new Redis(process.env.REDIS_URL)
const holdfast = new Holdfast({ redis })

export async function before(name, work) {
  const lost = new AbortController()
  const onLockLost = (error) => lost.abort(error)
  const mutex = new Mutex(redis, name, { acquireTimeout: 60_000, onLockLost })
  await mutex.acquire()
  try {
    return await work(lost.signal)
  } finally {
    await mutex.release()
  }
}

/** For the deployment in between, while processes with the code above still run. */
export function during(name, work) {
  return bridge((inner) => before(name, inner), holdfast.getLock(name)).withLock(work)
}

export function after(name, work) {
  return holdfast.getLock(name).withLock(work)
}
