import { ClosedError, HoldfastError, RefusedError, UnavailableError } from '@holdfast/core/engine'
import { isRefusal, StatusError, tlsWayOut, toError } from './client/failures.js'

/** The engine's name in errors. */
export const engineName = 'etcd'

/** What a refusal means, and the way out. Beginning as `etcd at http://a:2379 …` goes on. */
type Advice = readonly [told: RegExp, advice: (where: Where) => string]

/** What an error is about. */
export interface Where {
  /** The server, such as `http://a:2379`. */
  readonly server: string
  readonly prefix: string
  readonly username: string | undefined
}

const grant = ({ prefix }: Where): string =>
  `etcdctl role grant-permission <role> readwrite --prefix=true ${prefix}`

/** Refusals that stay as they are however often the request is repeated. */
const advices: readonly Advice[] = [
  [
    /authentication failed/,
    ({ username }) => `rejected the password of user ${username}: check username and password`,
  ],
  [/user name is empty/, () => 'has users: give etcd() the username and password of one'],
  [
    /permission denied/,
    (where) =>
      `does not permit user ${where.username} to use keys below ${where.prefix}; its role needs: ${grant(where)}`,
  ],
  [
    /database space exceeded/,
    () =>
      'is full and takes no writes: compact and defragment it, then `etcdctl alarm disarm`; or raise --quota-backend-bytes',
  ],
  [
    /request is too large/,
    () => 'rejected a request as too large: raise its --max-request-bytes to the default of 1572864',
  ],
  [
    /too many operations/,
    () => 'rejected a transaction as too large: raise its --max-txn-ops to the default of 128',
  ],
]

/** Codes of gRPC for what is refused for good: invalid, denied, not now or ever, out of range, unknown call, unauthenticated. */
const lasting: ReadonlySet<number> = new Set([3, 7, 9, 11, 12, 16])

/** Whether the lease that a request named has ended. */
export const isLeaseGone = (error: unknown): boolean =>
  error instanceof StatusError && error.message.includes('requested lease not found')

/** Turns any failure into an error of ours that says whether trying again makes sense. */
export function toEtcdError(error: unknown, where: Where): HoldfastError {
  if (error instanceof HoldfastError) return error
  const details = { cause: error, engine: engineName }
  const { message } = toError(error)
  const server = `etcd at ${where.server}`
  if (error instanceof StatusError) {
    const advice = advices.find(([told]) => told.test(message))?.[1]
    if (advice) return new RefusedError(`${server} ${advice(where)} (${message})`, details)
    if (lasting.has(error.code))
      return new RefusedError(`${server} rejected the request: ${message}`, details)
  } else if (isRefusal(error)) {
    return new RefusedError(`${server} cannot be used: ${message}${tlsWayOut(error) ?? ''}`, details)
  }
  return new UnavailableError(`${server} is unavailable: ${message}`, details)
}

/** A session that ended while a request of it was under way. */
export const sessionOver = (): UnavailableError =>
  new UnavailableError('the session at etcd has ended', { engine: engineName })

export const closed = (): ClosedError => new ClosedError('the Holdfast client is closed')

/** A search that ran late refused a request that was sent after it. */
export const overtaken = (owner: string): UnavailableError =>
  new UnavailableError(`a search for ${owner} ran late and rejected its request; it is sent again`, {
    engine: engineName,
  })
