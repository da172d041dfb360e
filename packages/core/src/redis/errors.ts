import { inspect } from 'node:util'
import { isPermissionError, isReplyError, MisplacedError, replyText } from '@holdfast/pubsub'
import { HoldfastError, RefusedError, UnavailableError } from '../errors/errors.js'

export const engineName = 'redis'

/** Error replies that are temporary: the server is starting, failing over (also during a WAIT), busy or full. */
const passing =
  /^(LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|READONLY|UNBLOCKED|MISCONF|OOM|NOREPLICAS|UNKILLABLE|ERR max number of clients)\b/

/** The original error of Redis or ioredis, even if it has become one of ours since. */
const originOf = (error: unknown): unknown =>
  error instanceof HoldfastError && error.cause !== undefined ? error.cause : error

const textOf = (error: unknown): string => {
  const origin = originOf(error)
  return replyText(origin instanceof Error ? origin.message : String(origin))
}

export const hasCode = (error: unknown, code: string): boolean => textOf(error).startsWith(code)

/** Whether keys of one slot cannot be reached in one command now, because half of them have moved already. */
export const isSlotMoving = (error: unknown): boolean => /\b(TRYAGAIN|CROSSSLOT)\b/.test(textOf(error))

/** Whether another node of the cluster owns the key, now or while its slot migrates. */
export const isRedirect = (error: unknown): boolean => /^(MOVED|ASK) /.test(textOf(error))

/** Neither the nodes of a cluster nor Sentinels led to the server. */
export class LookupError extends Error {
  /**
   * @param isRefusal - whether all of them replied, and would reply the same again
   * @param isUnreached - whether none of them could be connected to
   */
  constructor(
    message: string,
    readonly isRefusal: boolean,
    readonly isUnreached: boolean,
    cause: Error | undefined,
  ) {
    super(message, { cause })
  }
}

/**
 * Whether Redis refused the client as such: a missing or wrong password, a database that it does not have, a node of a cluster,
 * or no server at these addresses is one of ours.
 */
export const isUnusable = (error: unknown): boolean => {
  const origin = originOf(error)
  if (origin instanceof LookupError || hasCode(origin, 'MOVED ') || isAboutDatabase(origin)) return true
  return isPermissionError(origin) && !hasCode(origin, 'NOPERM')
}

/** What these commands have among their arguments nobody else may know: user and password, or the proofs of queue entries. */
const secretive: ReadonlySet<unknown> = new Set(['auth', 'hello', 'eval', 'evalsha'])

/** ioredis attaches the refused command to an error, with its arguments. */
export function withoutSecrets(error: unknown): unknown {
  if (!(error instanceof Error) || !secretive.has(commandOf(error))) return error
  const copy = new Error(error.message)
  if (rejectedLogins.has(error)) rejectedLogins.add(copy)
  copy.name = error.name
  if (error.stack !== undefined) copy.stack = error.stack
  return copy
}

function commandOf(error: unknown): unknown {
  if (!(error instanceof Error) || !('command' in error)) return undefined
  const { command } = error
  return typeof command === 'object' && command !== null && 'name' in command ? command.name : undefined
}

/** Logins with credentials that the application is asked for again: it may have others by then. */
const rejectedLogins = new WeakSet<Error>()

/** Takes an error of a connection that asks for its credentials: that they are wrong may pass. */
export function noteLogin(error: unknown): void {
  if (error instanceof Error && /^(WRONGPASS|NOAUTH)\b/.test(replyText(error.message)))
    rejectedLogins.add(error)
}

/** Whether Redis refused to select a database: too high a number, or a missing permission. */
export const isAboutDatabase = (error: unknown): boolean =>
  isReplyError(error) && commandOf(error) === 'select'

export const isAboutKey = (error: unknown): boolean => /^NOPERM .*\baccess .*\bkeys?\b/.test(textOf(error))

/** Whether Redis replied, and trying again soon makes no sense. */
export function isRefusal(error: unknown): error is Error {
  if (error instanceof LookupError) return error.isRefusal
  if (error instanceof MisplacedError) return error.isFinal
  if (error instanceof Error && rejectedLogins.has(error)) return false
  return isReplyError(error) && !passing.test(textOf(error))
}

/**
 * Turns any failure of a command into an error of ours that says whether trying again makes sense.
 *
 * @param server - names what could not be reached
 * @param used - a key of the command, and what to grant if the user may not use it
 */
export function toRedisError(
  error: unknown,
  server = 'Redis',
  used?: { readonly key: string; readonly patterns: string },
): HoldfastError {
  if (error instanceof HoldfastError) return error
  const details = { cause: withoutSecrets(error), engine: engineName }
  const text = textOf(error)
  const said =
    used && isAboutKey(error)
      ? `its user may not use ${used.key} or a key beside it: grant ${used.patterns} (${text})`
      : withMeaning(text)
  if (!isRefusal(error)) return new UnavailableError(`${server} is unavailable: ${said}`, details)
  const isAboutServers = error instanceof LookupError || error instanceof MisplacedError
  const what = isAboutServers ? 'cannot be used' : 'rejected the command'
  return new RefusedError(`${server} ${what}: ${said}`, details)
}

/** An error reply that a script passed on, or that of a command, with what to do about it. */
export function withMeaning(reply: string): string {
  const text = replyText(reply)
  const [, meaning] = meanings.find(([start]) => start.test(text)) ?? []
  return meaning === undefined ? text : `${meaning} (${text.split(',')[0]?.replace(/\. Please.*/, '')})`
}

const noRedis = 'what replies at this address does not speak the Redis protocol: check host and port'

/** Replies that do not say what is wrong or what to do about it, with what they mean. The second of each is that of ioredis 5. */
const meanings: readonly (readonly [reply: RegExp, meaning: string])[] = [
  [
    /^the connection for notifications leads to another server/,
    'its address leads to several servers: have it lead to the master alone, or pass the Sentinels',
  ],
  [
    /^MOVED /,
    'it is a node of a Redis Cluster: pass a Cluster of ioredis, ' +
      'redis: new Cluster([{ host, port }]), or --cluster on the command line',
  ],
  [
    /^NOAUTH /,
    'it needs a password: put user and password into the URL, redis://user:password@host:port, ' +
      'or unix:/path?username=user&password=password',
  ],
  [/^WRONGPASS /, 'user name or password is wrong; where only a password is set, leave out the user'],
  [/^ERR AUTH .*without any password/, 'it has no password: leave it out of `redis`'],
  [
    /^ERR DB index is out of range/,
    'it has no such database: pass one below its setting `databases`, which is 16 unless configured; 0 is there always',
  ],
  [
    /^OOM /,
    'it has reached its maxmemory, and takes nothing new until keys expire or maxmemory is raised; locks that are held stay held',
  ],
  [
    /^ERR max number of clients reached/,
    'it has reached its maxclients: raise that, or close connections; each client takes two',
  ],
  [
    /^NOPERM .*\bchannels?\b/,
    'its user may not use a channel: grant &holdfast:inbox:*, and those of Redisson for objects shared with it',
  ],
  [
    /^MISCONF /,
    'it cannot save its data, and takes no writes until it can, not even renewals: ' +
      'free its disk, or make its directory writable; its log says which',
  ],
  [
    /^WRONGTYPE /,
    'a key beside that of the object (its queue, its waiters, its size or its last token) has data of something else: ' +
      'delete that key, or give the object another name',
  ],
  [
    /^ERR SELECT is not allowed in cluster mode/,
    'it is a node of a Redis Cluster, which has database 0 only',
  ],
  [
    /^(Unknown RESP type|Protocol error, got) "?(21|\\u0015)\b/,
    'it speaks TLS: begin the URL with rediss://',
  ],
  [/^(Unknown RESP type|Protocol error, got) /, noRedis],
]

/** Reads replies of scripts without trusting them: a reply of another shape is an error, not a wrong number. */

export function asList(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw notUnderstood('a list', reply)
  return reply
}

export function numberAt(list: readonly unknown[], index: number): number {
  const value = list[index]
  if (typeof value !== 'number') throw notUnderstood(`a number at ${index}`, value)
  return value
}

export function textAt(list: readonly unknown[], index: number): string {
  const value = list[index]
  if (typeof value !== 'string') throw notUnderstood(`a string at ${index}`, value)
  return value
}

/** Neither refused nor without a reply: nothing is known of what was done, and repeating it makes no sense. */
export function notUnderstood(expected: string, got: unknown): HoldfastError {
  const error = new HoldfastError(
    `unexpected reply from Redis: expected ${expected}, got ${inspect(got)}. ` +
      'Check for a proxy or anything else between this client and Redis',
  )
  outOfStep.add(error)
  return error
}

const outOfStep = new WeakSet()

/** Whether the reply may have been that to another command, as all that follow on its connection may be. */
export const isOutOfStep = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && outOfStep.has(error)
