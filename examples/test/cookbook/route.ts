import { holdfast } from '../../src/cookbook/hot-reload.js'

/** Set by the bundler. */
declare const version: number

/** A route of an application, of which each bundle has its own copy. */
export async function GET() {
  const lock = holdfast.getLock('page')
  const holdCount = await lock.withLock(() => lock.withLock((lease) => lease.holdCount))
  return { version, clientId: holdfast.clientId, holdCount }
}
