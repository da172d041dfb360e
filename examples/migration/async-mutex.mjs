// async-mutex
import { Holdfast } from '@holdfast/core'
import { memory } from '@holdfast/stores/memory'
import { Mutex } from 'async-mutex'

const redis = process.env.REDIS_URL
const mutex = new Mutex()
const holdfast = new Holdfast(redis ? { redis } : { engine: memory() })

export function before(work) {
  return mutex.runExclusive(work)
}

export function after(name, work) {
  return holdfast.getLock(name).withLock(work)
}
