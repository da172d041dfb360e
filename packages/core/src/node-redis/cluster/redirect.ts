import type { RedisAddress } from '../../index.js'
import { ReplyError } from '../link/errors.js'

/** Where a node says that a slot is: `MOVED` for good, `ASK` for this one command. */
export interface Redirect {
  readonly kind: 'MOVED' | 'ASK'
  readonly to: RedisAddress
}

/** @param from - the node that replied: it leaves out a host that is its own, or that it does not know */
export function redirectOf(error: unknown, from: RedisAddress): Redirect | undefined {
  if (!(error instanceof ReplyError)) return undefined
  const [, kind, host = '', port] = /^(MOVED|ASK) \d+ (\S*):(\d+)/.exec(error.message) ?? []
  if (kind !== 'MOVED' && kind !== 'ASK') return undefined
  return { kind, to: { host: host === '' || host === '?' ? from.host : host, port: Number(port) } }
}
