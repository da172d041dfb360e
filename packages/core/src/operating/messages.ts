import { longestText } from '../engine/operator.js'
import type { ClientInfo } from '../engine/replies.js'
import type { ObjectKind } from '../engine/requests.js'
import type { LockLostError, LossReason } from '../errors/errors.js'
import type { LockEvent } from '../events/events.js'
import { isEvictor } from '../holding/loss.js'
import { monotonicMs } from '../util/clock.js'
import { isWellFormed } from '../util/mistakes.js'
import type { Pace } from './pace.js'

/** What a client asks another one to report. */
export interface Question {
  readonly id: string
  /** The client that asks. */
  readonly from: string
  /** How many holds and how many waits, the oldest first. */
  readonly limit: number
  /** Only what concerns objects of this name. */
  readonly name?: string | undefined
  /** The report is to be sent at some instant within this time, milliseconds: many clients are asked at once. */
  readonly spreadMs: number
}

/** What a report says apart from its lists. */
export type ReportHead = Omit<ClientReport, 'holds' | 'queue' | 'losses' | 'client'> & {
  readonly client: Omit<ClientReport['client'], 'startedAt'> & { readonly startedAt: number }
}

/** A part of a report. Texts for clients are short, so a report may take several. */
export interface ReportPage {
  /** Of the question. */
  readonly id: string
  readonly clientId: string
  readonly page: number
  readonly pages: number
  /** In the first part. */
  readonly head?: ReportHead
  readonly holds: readonly HoldReport[]
  readonly queue: readonly WaitReport[]
  readonly losses: readonly LossReport[]
}

/** Says who is about to evict an owner. */
export interface EvictionNote {
  readonly owner: string
  readonly by: string
}

/** What one client says to another. */
export type Message =
  | { readonly kind: 'ask'; readonly content: Question }
  | { readonly kind: 'report'; readonly content: ReportPage }
  | { readonly kind: 'evicting'; readonly content: EvictionNote }

export const textOf = ({ kind, content }: Message): string => `${kind} ${JSON.stringify(content)}`

/** Splits a report into parts that each fit into one text. */
export async function pagesOf(
  id: string,
  { client, holds, queue, losses, ...head }: ClientReport,
  pace: Pace,
): Promise<ReportPage[]> {
  const startedAt = client.startedAt.getTime()
  const label = client.label.slice(0, longestLabel)
  const first = { ...head, client: { ...client, label, startedAt } }
  const parts: { holds: HoldReport[]; queue: WaitReport[]; losses: LossReport[] }[] = []
  let leftBytes = 0
  const partFor = (item: unknown): (typeof parts)[number] => {
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1
    let part = parts.at(-1)
    if (!part || bytes > leftBytes) {
      part = { holds: [], queue: [], losses: [] }
      const taken = frameBytes + (parts.length === 0 ? Buffer.byteLength(JSON.stringify(first)) : 0)
      parts.push(part)
      leftBytes = longestText - taken
      // A long name does not fit beside the head.
      if (bytes > leftBytes) return partFor(item)
    }
    leftBytes -= bytes
    return part
  }
  const inPieces = async <T>(items: readonly T[], take: (item: T) => void): Promise<void> => {
    for (let start = 0; start < items.length; start += pieceSize) {
      if (start > 0) await pace.breathe()
      for (const item of items.slice(start, start + pieceSize)) take(item)
    }
  }
  await inPieces(holds, (hold) => partFor(hold).holds.push(hold))
  await inPieces(queue, (wait) => partFor(wait).queue.push(wait))
  await inPieces(losses, (loss) => partFor(loss).losses.push(loss))
  if (parts.length === 0) parts.push({ holds: [], queue: [], losses: [] })
  const { clientId } = head
  return parts.map((part, page) => ({
    id,
    clientId,
    page,
    pages: parts.length,
    ...(page === 0 && { head: first }),
    ...part,
  }))
}

/** How many pages a report can have that lists so many holds and as many waits: one may have no room beside the head. */
export const mostPagesOf = (limit: number): number => 2 * limit + mostLosses + 1

/** So many items are split in one piece. */
const pieceSize = 200
/** Enough for the word, the braces, an id and a client id. */
const frameBytes = 250
const longestLabel = 500

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
  if (kind === 'report' && isReportPage(content)) return { kind, content: withKnownItems(content) }
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

function isQuestion(given: unknown): given is Question {
  return (
    hasTexts(given, 'id', 'from') &&
    hasNumbers(given, 'limit', 'spreadMs') &&
    // Both go into each page of the report.
    given.id.length <= longestId &&
    given.from.length <= longestId &&
    given.limit >= 0 &&
    (!('name' in given) || hasTexts(given, 'name'))
  )
}

const isEvictionNote = (given: unknown): given is EvictionNote =>
  hasTexts(given, 'owner', 'by') && isEvictor(given.by)

/** Parts of a report whose items are not checked yet. */
type Lists = 'holds' | 'queue' | 'losses'
type UncheckedPage = Omit<ReportPage, Lists> & Record<Lists, readonly unknown[]>

function isReportPage(given: unknown): given is UncheckedPage {
  return (
    hasTexts(given, 'id', 'clientId') &&
    hasNumbers(given, 'page', 'pages') &&
    Number.isInteger(given.page) &&
    given.page >= 0 &&
    given.page < given.pages &&
    hasLists(given, 'holds', 'queue', 'losses') &&
    (!('head' in given) || (isHead(given.head) && given.head.clientId === given.clientId))
  )
}

const withKnownItems = (page: UncheckedPage): ReportPage => ({
  ...page,
  holds: page.holds.filter(isHold),
  queue: page.queue.filter(isWait),
  losses: page.losses.filter(isLoss),
})

function isHead(given: unknown): given is ReportHead {
  return (
    hasTexts(given, 'clientId') &&
    hasNumbers(given, 'holdCount', 'waiterCount', 'handOffs') &&
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
  )
}

const isHold = (given: unknown): given is HoldReport =>
  isOfOwner(given) &&
  hasNumbersOrNull(given, 'size') &&
  hasNumbers(given, 'holdCount', 'permits', 'fencingToken', 'heldMs', 'remainingMs')

const isWait = (given: unknown): given is WaitReport =>
  isOfOwner(given) &&
  hasNumbersOrNull(given, 'size', 'stateAgeMs') &&
  hasTexts(given, 'holder') &&
  hasNumbers(given, 'permits', 'waitedMs', 'position')

const isLoss = (given: unknown): given is LossReport =>
  isOfOwner(given) &&
  hasTexts(given, 'reason') &&
  hasNumbers(given, 'agoMs') &&
  given.agoMs <= longestAgoMs &&
  lossReasonNames.has(given.reason)

const isOfOwner = (given: unknown): given is Record<'name' | 'kind' | 'owner', string> =>
  hasTexts(given, 'name', 'kind', 'owner') && isWellFormed(given.name) && objectKindNames.has(given.kind)

const hasNumbersOrNull = (given: unknown, ...keys: string[]): boolean =>
  hasEach(given, keys, (value) => value === null || isNumber(value))

const objectKinds: Record<ObjectKind, true> = {
  lock: true,
  'read-lock': true,
  'write-lock': true,
  semaphore: true,
  latch: true,
}
const objectKindNames = new Set(Object.keys(objectKinds))
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
const lossReasonNames = new Set(Object.keys(lossReasons))
/** Ours have 21 characters. */
const longestId = 100
/** A century: what is longer ago than dates reach has none. */
const longestAgoMs = 100 * 365 * 86_400_000

const hasTexts = <K extends string>(given: unknown, ...keys: K[]): given is Record<K, string> =>
  hasEach(given, keys, (value) => typeof value === 'string')

const hasNumbers = <K extends string>(given: unknown, ...keys: K[]): given is Record<K, number> =>
  hasEach(given, keys, isNumber)

const hasLists = <K extends string>(given: unknown, ...keys: K[]): given is Record<K, unknown[]> =>
  hasEach(given, keys, Array.isArray)

/** JSON can hold numbers that are infinite once parsed. */
const isNumber = (value: unknown): boolean => Number.isFinite(value)

function hasEach(given: unknown, keys: readonly string[], isRight: (value: unknown) => boolean): boolean {
  if (typeof given !== 'object' || given === null) return false
  const values = new Map<string, unknown>(Object.entries(given))
  return keys.every((key) => isRight(values.get(key)))
}

/** What one client reports when it is asked. All times were measured by that client's own monotonic clock. */
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
  /** The last 20 losses, newest first. */
  readonly losses: readonly LossReport[]
  /** Its oldest holds. */
  readonly holds: readonly HoldReport[]
  /** Its acquisitions that have waited longest. */
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

/** So many are remembered. */
const mostLosses = 20

/** The last losses of a client, without those that its options set. */
export class LossLog {
  readonly #losses: (Omit<LossReport, 'agoMs'> & { readonly at: number })[] = []

  add({ name, kind, owner, error }: LockEvent & { readonly error: LockLostError }): void {
    if (error.reason === 'ended') return
    this.#losses.unshift({ name, kind, owner, reason: error.reason, at: monotonicMs() })
    this.#losses.length = Math.min(this.#losses.length, mostLosses)
  }

  /** Newest first. */
  read(): LossReport[] {
    const now = monotonicMs()
    return this.#losses.map(({ at, ...loss }) => ({ ...loss, agoMs: Math.round(now - at) }))
  }
}
