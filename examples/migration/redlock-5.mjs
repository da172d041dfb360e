// redlock 5, which is a beta: npm i redlock@5.0.0-beta.2. Without a version you get redlock 4.
import { bridge, Holdfast } from '@holdfast/core'
import { Redis } from 'ioredis'
import Redlock from 'redlock'

const redis = new Redis(process.env.REDIS_URL)
const redlock = new Redlock([redis])
const holdfast = new Holdfast({ redis })

export function before(name, work) {
  return redlock.using([name], 30_000, { retryCount: -1, retryDelay: 50 }, work)
}

/** For the deployment in between, while processes with the code above still run. */
export function during(name, work) {
  return bridge((inner) => before(name, inner), holdfast.getLock(name)).withLock(work)
}

export function after(name, work) {
  return holdfast.getLock(name).withLock(work)
}
