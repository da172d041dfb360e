import { types } from 'node:util'

/** No reply came: nothing is known of the outcome. */
export class NoReplyError extends Error {
  override readonly name = 'NoReplyError'
}

/** The server replied that it did not do it. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  /** Of gRPC: 5 is not found, 16 unauthenticated, and so on. */
  readonly code: number

  constructor(code: number, text: string) {
    super(text)
    this.code = code
  }
}

/** What is on the other end does not speak as etcd does. */
export class NotEtcdError extends Error {
  override readonly name = 'NotEtcdError'
}

/** By `instanceof`, those of Node.js itself would not be errors to code that runs in another realm, as tests under Jest do. */
export const toError = (thrown: unknown): Error =>
  types.isNativeError(thrown) ? thrown : new Error(String(thrown))

/** Statuses that leave open whether it was done: cancelled, unknown, deadline exceeded, aborted, internal, unavailable. */
const openOutcomes: ReadonlySet<number> = new Set([1, 2, 4, 10, 13, 14])

/** The failure that a status other than 0 is. */
export const failureOf = (call: string, code: number, text: string): Error =>
  openOutcomes.has(code) ? new NoReplyError(`${call}: ${text}`) : new StatusError(code, text)

/** Whether it would fail again: the password, a certificate, or what is at this address is wrong. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof StatusError || error instanceof NotEtcdError || tlsWayOut(error) !== undefined

/** What to do about a failure of TLS; `undefined` for any other. */
export function tlsWayOut(error: unknown): string | undefined {
  const code = types.isNativeError(error) && 'code' in error ? String(error.code) : ''
  return tlsWays.find(([codes]) => codes.test(code))?.[1]
}

const tlsWays: readonly (readonly [codes: RegExp, way: string])[] = [
  [/ALERT_.*CERT|ALERT_UNKNOWN_CA/, '; pass a certificate that it accepts: tls: { cert, key }'],
  [/CERT|SELF_SIGNED|UNABLE_TO_/, "; if it is yours, pass its authority's certificate: tls: { ca }"],
  [/^ERR_SSL_|^EPROTO$/, ''],
]

/** The server does not know the token, or has changed its users since it gave it out. */
export const isTokenRefused = (error: unknown): boolean =>
  error instanceof StatusError && /invalid auth token|revision of auth store is old/.test(error.message)

/** The server cannot do what others can: it has lost its leader, is about to stop, or only learns yet. */
export const isUseless = (error: unknown): boolean =>
  types.isNativeError(error) && /no leader|server stopped|not supported for learner/.test(error.message)

/** The system could not connect: nobody listens there, or there is no such host. */
export const isUnreachable = (error: unknown): boolean =>
  types.isNativeError(error) &&
  'code' in error &&
  /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH)$/.test(String(error.code))
