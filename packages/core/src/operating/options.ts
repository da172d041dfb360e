import { checkInteger, checkOptions, checkString } from '../options/checks.js'
import { InvalidArgumentError } from '../errors/errors.js'
import type { ListingRequest } from './listing.js'
import { shown } from '../util/kind-of.js'

/** What `holdfast.locks()` lists. */
export interface LocksOptions {
  /**
   * Of names: `*` stands for any text, `?` for one character, and `\` has the next character mean itself.
   *
   * @defaultValue `*`
   */
  readonly pattern?: string | undefined
  /** How many to list at most. At least 1. No limit by default, and with `Infinity`. */
  readonly limit?: number | undefined
  /** Only those that have a queue. */
  readonly contended?: boolean | undefined
  /**
   * Refuses a store with more keys than this, of whatever kind: a listing looks at each of them. At least 1, or `Infinity`.
   *
   * @defaultValue 1_000_000
   */
  readonly maxKeys?: number | undefined
  /** Stops the listing, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Whom `holdfast.clientReports()` asks what. A client that is asked more than it has time for answers late or not at all, so that its
 * renewals are in time: its report is missing.
 */
export interface ClientReportsOptions {
  /**
   * How long to wait for reports, milliseconds. At least 1.
   *
   * @defaultValue 1_000
   */
  readonly withinMs?: number | undefined
  /**
   * How many holds and how many waits of each client to report, the oldest first. From 0 to 10,000.
   *
   * @defaultValue 200
   */
  readonly limit?: number | undefined
  /** Which clients to ask. All that `clients()` lists, by default. */
  readonly clientIds?: readonly string[] | undefined
  /** List only holds, waits and losses of this name. Counts are still those of the whole client. */
  readonly name?: string | undefined
  /**
   * Has clients report at random instants within this time, milliseconds, so that their reports do not all arrive at once. At
   * most half of `withinMs`.
   *
   * @defaultValue 0 for up to 20 clients, otherwise half of `withinMs`
   */
  readonly spreadMs?: number | undefined
}

/** What `clientReports()` is to ask, after checks and defaults. */
export interface ResolvedClientReports {
  readonly withinMs: number
  readonly limit: number
  readonly clientIds: readonly string[] | undefined
  readonly name: string | undefined
  spreadMsFor(clients: number): number
}

const locksOptions: Record<keyof LocksOptions, true> = {
  pattern: true,
  limit: true,
  contended: true,
  maxKeys: true,
  signal: true,
}
const clientReportsOptions: Record<keyof ClientReportsOptions, true> = {
  withinMs: true,
  limit: true,
  clientIds: true,
  name: true,
  spreadMs: true,
}
const locksOptionNames = new Set(Object.keys(locksOptions))
const clientReportsOptionNames = new Set(Object.keys(clientReportsOptions))

const defaultMaxKeys = 1_000_000
const mostReported = 10_000
/** Reports of so few clients may arrive at once. */
const fewClients = 20

/** Checks the options of a listing and fills in the defaults. */
export function resolveListing(options: LocksOptions): ListingRequest {
  checkOptions(options, locksOptionNames)
  const { pattern = '*', limit = Infinity, contended = false, maxKeys = defaultMaxKeys, signal } = options
  checkString('pattern', pattern)
  if (limit !== Infinity) checkInteger('limit', limit, 1, ' or Infinity')
  if (maxKeys !== Infinity) checkInteger('maxKeys', maxKeys, 1, ' or Infinity')
  const isContended: unknown = contended
  if (typeof isContended !== 'boolean') {
    throw new InvalidArgumentError(`contended must be true or false, got ${shown(isContended)}`)
  }
  const given: unknown = signal
  if (given !== undefined && !(given instanceof AbortSignal)) {
    throw new InvalidArgumentError(`signal must be an AbortSignal, got ${shown(given)}`)
  }
  return { pattern, limit, contended, maxKeys, signal }
}

/** Checks the options of `clientReports()` and fills in the defaults. */
export function resolveClientReports(options: ClientReportsOptions): ResolvedClientReports {
  checkOptions(options, clientReportsOptionNames)
  const { withinMs = 1_000, limit = 200, clientIds, name, spreadMs } = options
  checkInteger('withinMs', withinMs, 1)
  checkString('name', name)
  checkBetween('limit', limit, mostReported)
  const half = Math.floor(withinMs / 2)
  checkBetween('spreadMs', spreadMs, half, ', half of withinMs')
  checkIds(clientIds)
  return {
    withinMs,
    limit,
    clientIds,
    name,
    spreadMsFor: (clients) => spreadMs ?? (clients <= fewClients ? 0 : half),
  }
}

function checkBetween(option: string, value: number | undefined, most: number, more = ''): void {
  checkInteger(option, value, 0)
  if (value === undefined || value <= most) return
  throw new InvalidArgumentError(`${option} must be at most ${most}${more}, got ${value}`)
}

function checkIds(clientIds: unknown): void {
  if (clientIds === undefined) return
  const isOne = (id: unknown): boolean => typeof id === 'string' && id !== ''
  // `every` skips the holes of an array.
  if (Array.isArray(clientIds) && clientIds.every(isOne) && !clientIds.includes(undefined)) return
  throw new InvalidArgumentError(
    `clientIds must be an array of client ids, as clients() lists them, got ${shown(clientIds)}`,
  )
}
