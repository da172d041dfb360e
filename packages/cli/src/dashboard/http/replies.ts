import type { Failure } from '../shared/payloads.js'
import type { Reply } from './exchange.js'

/** Nothing is loaded from anywhere else, nothing runs that is not one of the dashboard's own files, and no other page frames it. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const onEveryReply = {
  'content-security-policy': contentPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

export function reply(
  status: number,
  type: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status,
    headers: { ...onEveryReply, 'content-type': type, 'cache-control': 'no-store', ...headers },
    body,
  }
}

export const jsonReply = (value: unknown, status = 200): Reply =>
  reply(status, 'application/json; charset=utf-8', JSON.stringify(value))

export const refusal = (
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): Reply =>
  reply(status, 'application/json; charset=utf-8', JSON.stringify({ error } satisfies Failure), headers)
