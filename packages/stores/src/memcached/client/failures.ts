import { types } from 'node:util'
import type { Reply } from './reply-stream.js'

/** No reply came: nothing is known of the outcome. */
export class NoReplyError extends Error {
  override readonly name = 'NoReplyError'
}

/** The other side does not speak as memcached does, or what it says makes it unfit; it would say so again. */
export class UnfitServerError extends Error {
  override readonly name = 'UnfitServerError'
}

/** A command that makes sense on one connection only, and that was not sent, since that one has ended. */
export class OtherConnectionError extends Error {
  override readonly name = 'OtherConnectionError'
}

/** A reply that the command does not have; nothing was done. */
export class UnexpectedReplyError extends Error {
  override readonly name = 'UnexpectedReplyError'

  constructor(reply: Reply) {
    super([reply.code, ...reply.words].join(' ').slice(0, 200))
  }
}

/** By `instanceof`, those of Node.js itself would not be errors to code that runs in another realm, as tests under Jest do. */
export const toError = (thrown: unknown): Error =>
  types.isNativeError(thrown) ? thrown : new Error(String(thrown))

/** The system could not connect: nobody listens there, or there is no such host or socket. */
export const isUnreachable = (error: unknown): boolean =>
  types.isNativeError(error) &&
  'code' in error &&
  /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENOENT)$/.test(String(error.code))

/** Whether it would fail again: a certificate, or what is at this address, is wrong. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof UnfitServerError || tlsWayOut(error) !== undefined

/** What to do about a failure of TLS; `undefined` for any other. */
export function tlsWayOut(error: unknown): string | undefined {
  const code = types.isNativeError(error) && 'code' in error ? String(error.code) : ''
  return tlsWays.find(([codes]) => codes.test(code))?.[1]
}

const tlsWays: readonly (readonly [codes: RegExp, way: string])[] = [
  [/ALERT_.*CERT|ALERT_UNKNOWN_CA/, '; pass a certificate that it accepts: tls: { cert, key }'],
  [/CERT|SELF_SIGNED|UNABLE_TO_/, "; if it is yours, pass its authority's certificate: tls: { ca }"],
  [/^ERR_SSL_|^EPROTO$/, '; does it speak TLS?'],
]
