import { UnexpectedReplyError, UnfitServerError } from './client/failures.js'
import type { Reply } from './client/reply-stream.js'
import { farAway } from './clock-key.js'

/** What a read says to the write that follows. */
export interface Version {
  /** '' of a document that is absent. */
  readonly cas: string
  /** CAS ids begin anew with each process of the server: they mean something on the connection only on which they were read. */
  readonly epoch: number
  /** memcached's clock at the read. */
  readonly nowS: number
  /** Names the data that was read. */
  readonly dataId: string
}

/** Longer times to live are taken for instants. */
const longestTtlS = 30 * 24 * 3_600

/**
 * The command that replaces a document of a version. Only `add`, `cas` and `md`: on a full server `ms` deletes what it fails to replace.
 *
 * @returns `undefined`: there is nothing to do
 */
export function commandOf(
  key: string,
  text: string,
  { cas, nowS }: Version,
  keepMs: number,
): string | undefined {
  if (text === '') return cas === '' ? undefined : `md ${key} C${cas}\r\n`
  // A time to live of n seconds may end after n - 1.
  const ttlS = Math.ceil(keepMs / 1_000) + 1
  const expiry = ttlS <= longestTtlS ? ttlS : Math.min(farAway, nowS + ttlS)
  const size = Buffer.byteLength(text)
  return cas === ''
    ? `add ${key} 0 ${expiry} ${size}\r\n${text}\r\n`
    : `cas ${key} 0 ${expiry} ${size} ${cas}\r\n${text}\r\n`
}

/** '' of a document that is absent. */
export const casOf = (reply: Reply | undefined): string => {
  if (reply?.code === 'EN') return ''
  const cas = flagOf(reply, 'c')
  if (reply?.code !== 'VA' || cas === undefined) throw unexpected(reply)
  return cas
}

export const flagOf = (reply: Reply | undefined, flag: string): string | undefined =>
  reply?.words.find((word) => word.startsWith(flag))?.slice(1)

const done: ReadonlySet<string> = new Set(['STORED', 'HD'])
/** It is another version by now, or gone. */
const notDone: ReadonlySet<string> = new Set(['EXISTS', 'EX', 'NOT_STORED', 'NS', 'NOT_FOUND', 'NF'])

export function wasReplaced(reply: Reply | undefined): boolean {
  if (reply && done.has(reply.code)) return true
  if (reply && notDone.has(reply.code)) return false
  throw unexpected(reply)
}

export const unexpected = (reply: Reply | undefined): Error =>
  reply ? new UnexpectedReplyError(reply) : new UnfitServerError('it sent too few replies')
