import { longestText } from '../engine/session.js'
import type { ClientInfo, ObjectKind } from '../engine/requests.js'
import type { LossReason } from '../errors/errors.js'
import { isEvictor } from '../holding/loss.js'
import { isWellFormed } from '../util/mistakes.js'

export interface Question {
  readonly id: string
  readonly from: string
  readonly name?: string | undefined
  /** The report is to be sent at some instant within this time, milliseconds: many clients are asked at once. */
  readonly spreadMs: number
}

export interface Answer {
  readonly id: string
  readonly report: ClientReport
}

export interface EvictionNote {
  readonly owner: string
  readonly by: string
}

export type Message =
  | { readonly kind: 'ask'; readonly content: Question }
  | { readonly kind: 'report'; readonly content: Answer }
  | { readonly kind: 'evicting'; readonly content: EvictionNote }

export function textOf({ kind, content }: Message): string {
  return `${kind} ${JSON.stringify(kind === 'report' ? sentOf(content) : content)}`
}

const sentOf = ({ id, report }: Answer): object => ({
  id,
  ...report,
  client: { ...report.client, startedAt: report.client.startedAt.getTime() },
  holds: report.holds.map((hold) => rowOf(hold, holdFields)),
  queue: report.queue.map((wait) => rowOf(wait, waitFields)),
  losses: report.losses.map((loss) => rowOf(loss, lossFields)),
})

/** An item of a report as it is sent, short so that many fit. Of its owner only the part that is not the client's. */
const rowOf = <T extends OwnerReport>(item: T, fields: Fields<T>): unknown[] =>
  Object.keys(fields).map((field) =>
    field === 'owner' ? item.owner.slice(item.owner.indexOf(':') + 1) : Reflect.get(item, field),
  )

/** The report with as many items of each list as one text has room for: one of each in turn, so that none crowds out another. */
export function fitted(given: ClientReport): ClientReport {
  const label = given.client.label.slice(0, longestLabel)
  const bare = { ...given, client: { ...given.client, label }, holds: [], queue: [], losses: [] }
  let leftBytes =
    longestText - longestId - bytesOf(textOf({ kind: 'report', content: { id: '', report: bare } }))
  const taker = <T extends OwnerReport>(from: readonly T[], fields: Fields<T>) => {
    const taken: T[] = []
    return {
      taken,
      take: (i: number): void => {
        const item = from[i]
        const bytes = item === undefined ? Infinity : bytesOf(JSON.stringify(rowOf(item, fields))) + 1
        if (item === undefined || bytes > leftBytes) return
        leftBytes -= bytes
        taken.push(item)
      },
    }
  }
  const holds = taker(given.holds, holdFields)
  const queue = taker(given.queue, waitFields)
  const losses = taker(given.losses, lossFields)
  for (let i = 0; i < mostListed; i += 1) for (const { take } of [holds, queue, losses]) take(i)
  return { ...bare, holds: holds.taken, queue: queue.taken, losses: losses.taken }
}

const bytesOf = (text: string): number => Buffer.byteLength(text)

/** Of each list; a text has room for fewer. */
export const mostListed = 200
const longestLabel = 500
/** Ours have 21 characters. */
const longestId = 100

/**
 * Reads a text from another client; `null` for one that this version does not know, which is ignored.
 *
 * Other clients may run other versions, and anyone may publish: what is not checked here must not be relied upon. Of a report only
 * the items that this version does not know are dropped, such as holds of objects of a later one. So the rest can be seen.
 */
export function readMessage(text: string): Message | null {
  // No client of any version sends more. Parsing what anyone may publish must not take long.
  if (text.length > longestText) return null
  const [, kind, json] = /^([a-z]+) (\{.*\})$/s.exec(text) ?? []
  if (json === undefined) return null
  const content = parse(json)
  if (kind === 'ask' && isQuestion(content)) return { kind, content }
  if (kind === 'report' && isAnswer(content)) return { kind, content: answerOf(content) }
  if (kind === 'evicting' && isEvictionNote(content)) return { kind, content }
  return null
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

const isQuestion = (given: unknown): given is Question =>
  hasTexts(given, 'id', 'from') &&
  hasNumbers(given, 'spreadMs') &&
  isId(given.id) &&
  isId(given.from) &&
  (!('name' in given) || hasTexts(given, 'name'))

const isEvictionNote = (given: unknown): given is EvictionNote =>
  hasTexts(given, 'owner', 'by') && isEvictor(given.by)

type Lists = 'holds' | 'queue' | 'losses'
type Sent = Omit<ClientReport, Lists | 'client'> &
  Record<Lists, unknown[]> & { readonly id: string; readonly client: SentClient }
type SentClient = Omit<ClientInfo, 'startedAt'> & { readonly startedAt: number }

const isAnswer = (given: unknown): given is Sent =>
  hasTexts(given, 'id', 'clientId') &&
  hasNumbers(given, 'holdCount', 'waiterCount', 'handOffs') &&
  hasLists(given, 'holds', 'queue', 'losses') &&
  'counts' in given &&
  hasNumbers(given.counts, 'acquired', 'released', 'lost') &&
  'waits' in given &&
  hasNumbers(given.waits, 'count') &&
  hasLists(given.waits, 'buckets') &&
  given.waits.buckets.every(isNumber) &&
  'client' in given &&
  hasTexts(given.client, 'host', 'label') &&
  hasNumbers(given.client, 'pid', 'startedAt') &&
  !Number.isNaN(new Date(given.client.startedAt).getTime())

function answerOf({ id, ...sent }: Sent): Answer {
  const { clientId, client } = sent
  const report = {
    ...sent,
    client: { ...client, startedAt: new Date(client.startedAt) },
    holds: itemsOf(sent.holds, holdFields, clientId),
    queue: itemsOf(sent.queue, waitFields, clientId),
    losses: itemsOf(sent.losses, lossFields, clientId),
  }
  return { id, report }
}

/** Of rows to which a later version may have appended something. */
function itemsOf<T extends OwnerReport>(rows: readonly unknown[], fields: Fields<T>, clientId: string): T[] {
  const isItem = (given: object): given is T =>
    Object.entries<Check>(fields).every(([field, isRight]) => isRight(Reflect.get(given, field)))
  const valueOf = (field: string, sent: unknown): unknown =>
    field === 'owner' && typeof sent === 'string' ? `${clientId}:${sent}` : sent
  const names = Object.keys(fields)
  return rows
    .filter((row): row is unknown[] => Array.isArray(row))
    .map((row) => Object.fromEntries(names.map((field, i) => [field, valueOf(field, row[i])])))
    .filter((item): item is typeof item & T => isItem(item))
}

type Check = (value: unknown) => boolean
const isText: Check = (value) => typeof value === 'string'
/** JSON can hold numbers that are infinite once parsed. */
const isNumber: Check = (value) => Number.isFinite(value)
const isNumberOrNull: Check = (value) => value === null || isNumber(value)
const isOneOf = (names: object): Check => {
  const known = new Set<unknown>(Object.keys(names))
  return (value) => known.has(value)
}

const objectKinds: Record<ObjectKind, true> = {
  lock: true,
  'read-lock': true,
  'write-lock': true,
  semaphore: true,
  latch: true,
}
const lossReasons: Record<LossReason, true> = {
  expired: true,
  ended: true,
  'not-held': true,
  revoked: true,
  closed: true,
  'member-lost': true,
  minority: true,
  suspended: true,
}
/** A century: what is longer ago than dates reach has none. */
const longestAgoMs = 100 * 365 * 86_400_000

const isName: Check = (value) => typeof value === 'string' && isWellFormed(value)
const isAge: Check = (value) => typeof value === 'number' && isNumber(value) && value <= longestAgoMs

/** What each item says, in the order in which it is sent. */
type Fields<T> = Readonly<Record<keyof T, Check>>
const ofOwner: Fields<OwnerReport> = { name: isName, kind: isOneOf(objectKinds), owner: isText }
const ofPermits = { ...ofOwner, permits: isNumber, size: isNumberOrNull }
const holdFields: Fields<HoldReport> = {
  ...ofPermits,
  holdCount: isNumber,
  fencingToken: isNumber,
  heldMs: isNumber,
  remainingMs: isNumber,
}
const waitFields: Fields<WaitReport> = {
  ...ofPermits,
  waitedMs: isNumber,
  position: isNumber,
  holder: isText,
  stateAgeMs: isNumberOrNull,
}
const lossFields: Fields<LossReport> = { ...ofOwner, reason: isOneOf(lossReasons), agoMs: isAge }

/** Goes into the text of the report. */
const isId = (text: string): boolean => text.length <= longestId && /^[\w-]+$/.test(text)

const hasTexts = <K extends string>(given: unknown, ...keys: K[]): given is Record<K, string> =>
  hasEach(given, keys, isText)

const hasNumbers = <K extends string>(given: unknown, ...keys: K[]): given is Record<K, number> =>
  hasEach(given, keys, isNumber)

const hasLists = <K extends string>(given: unknown, ...keys: K[]): given is Record<K, unknown[]> =>
  hasEach(given, keys, Array.isArray)

function hasEach(given: unknown, keys: readonly string[], isRight: Check): boolean {
  if (typeof given !== 'object' || given === null) return false
  const values = new Map<string, unknown>(Object.entries(given))
  return keys.every((key) => isRight(values.get(key)))
}

/**
 * What one client reports when it is asked: counts of all, and as many of the oldest holds and waits as fit into one message, about a
 * hundred. All times were measured by that client's own monotonic clock.
 */
export interface ClientReport {
  /** The first part of its owners. */
  readonly clientId: string
  /** Which process it is. */
  readonly client: ClientInfo
  /** How many holds it has in all, listed or not. */
  readonly holdCount: number
  /** How many of its acquisitions wait in all, listed or not. */
  readonly waiterCount: number
  /** Outermost acquisitions, full releases and lost holds since the client was made. */
  readonly counts: { readonly acquired: number; readonly released: number; readonly lost: number }
  /**
   * Outermost acquisitions by how long they waited, since the client was first asked for reports: `buckets[i]` took at most
   * `waitBucketsMs[i]`, the last one longer. A client that was not asked for a minute begins at 0 again. Empty when the
   * question was about one name.
   */
  readonly waits: { readonly count: number; readonly buckets: readonly number[] }
  /** How many locks releases handed to its waiters, since the same time; 0 when the question was about one name. */
  readonly handOffs: number
  /** Its last losses, 20 at most, newest first. */
  readonly losses: readonly LossReport[]
  /** Its oldest holds, the oldest first. */
  readonly holds: readonly HoldReport[]
  /** Its acquisitions that have waited longest, the longest first. */
  readonly queue: readonly WaitReport[]
}

/** An object and an owner of a client. */
interface OwnerReport {
  /** The name given to `getLock`, `getSemaphore` and so on. */
  readonly name: string
  /** What has that name, and for a read/write lock which side of it. */
  readonly kind: ObjectKind
  /** `<clientId>:<n>` */
  readonly owner: string
}

/** A hold that a client lost. */
export interface LossReport extends OwnerReport {
  /** Why it counts as lost. */
  readonly reason: LossReason
  /** How long ago, milliseconds. */
  readonly agoMs: number
}

/** A hold of a client. */
export interface HoldReport extends OwnerReport {
  /** How often entered. */
  readonly holdCount: number
  /** The permits it needs of a semaphore; 1 for anything else. */
  readonly permits: number
  /** How many permits a semaphore has in all, as its process knows it; `null` for anything else. */
  readonly size: number | null
  /** 0 if it has none. */
  readonly fencingToken: number
  /** Since the grant, milliseconds. */
  readonly heldMs: number
  /** For how long its process still claims it, unless it is renewed, milliseconds. */
  readonly remainingMs: number
}

/** An acquisition of a client that waits, or a wait for a latch. */
export interface WaitReport extends OwnerReport {
  /** The permits it wants of a semaphore; 1 for anything else. */
  readonly permits: number
  /** How many permits a semaphore has in all, as its process knows it; `null` for anything else. */
  readonly size: number | null
  /** Since the call, milliseconds. */
  readonly waitedMs: number
  /** Its position in the queue as far as its client has heard, `stateAgeMs` ago; 0: none. */
  readonly position: number
  /** Who held the object then; '' if nobody did, or if several did. */
  readonly holder: string
  /**
   * How old `position` and `holder` are, milliseconds: up to a third of `watchdogTimeoutMs`, longer in an outage. `null` if its
   * client has heard nothing yet.
   */
  readonly stateAgeMs: number | null
}
