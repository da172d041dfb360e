import { longestText } from '../engine/operator.js'
import type { LossReason } from '../errors/errors.js'
import type { ObjectKind } from '../ownership/target.js'
import { isWellFormed } from '../util/well-formed.js'
import { isEvictor } from '../holding/evictions.js'
import type { EvictionNote, Message, Question, ReportHead, ReportPage } from './messages.js'
import type { HoldReport, LossReport, WaitReport } from './report.js'

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
