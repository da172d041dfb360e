import { ClosedError, HoldfastError, RefusedError, UnavailableError } from '@holdfast/core/engine'
import { isRefusal, tlsWayOut, toError, UnexpectedReplyError } from './client/failures.js'

/** The engine's name in errors. */
export const engineName = 'memcached'

/** What a reply means, and the way out. Beginning as `memcached at a:11211 …` goes on. */
type Advice = readonly [told: RegExp, advice: string]

/** Replies that stay as they are however often the command is repeated. */
const lasting: readonly Advice[] = [
  [/object too large/, 'rejected a document as too large: raise its -I to the default of 1 MB'],
]

/** Others may find room: what expires makes some. */
const passing: readonly Advice[] = [
  [
    /out of memory/,
    'is full, and runs with -M: it takes nothing new until keys expire; raise its -m, or keep nothing but locks in it',
  ],
]

const adviceOn = (advices: readonly Advice[], message: string): string | undefined =>
  advices.find(([told]) => told.test(message))?.[1]

/**
 * Turns any failure into an error of ours that says whether trying again makes sense.
 *
 * @param server - names it, such as `memcached at a:11211`
 */
export function toMemcachedError(error: unknown, server: string): HoldfastError {
  if (error instanceof HoldfastError) return error
  const details = { cause: error, engine: engineName }
  const { message } = toError(error)
  if (error instanceof UnexpectedReplyError) {
    const full = adviceOn(passing, message)
    if (full !== undefined) return new UnavailableError(`${server} ${full} (${message})`, details)
    const advice = adviceOn(lasting, message) ?? 'rejected the command'
    return new RefusedError(`${server} ${advice} (${message})`, details)
  }
  if (isRefusal(error)) {
    return new RefusedError(`${server} cannot be used: ${message}${tlsWayOut(error) ?? ''}`, details)
  }
  return new UnavailableError(`${server} is unavailable: ${message}`, details)
}

export const closed = (): ClosedError => new ClosedError('the Holdfast client is closed')
