import { createHash } from 'node:crypto'
import { nanoid } from 'nanoid'
import { heirOf, titleOf, type Address, type Named, type Target } from '../engine/requests.js'
import { InvalidArgumentError, LockLostError, UpgradeError, type LossReason } from '../errors/errors.js'
import { monotonicMs } from '../time/time.js'

const lossText: Record<LossReason, string> = {
  expired: 'the lease expired before it was released; another client may have entered since',
  ended: 'the fixed lease (leaseMs) ended before it was released; another client may have entered since',
  'not-held': 'the store says that this owner no longer holds it; another client may have entered since',
  revoked: 'the hold was revoked by forceUnlock or forceRelease; another client may have entered since',
  'member-lost': 'a lock that was acquired together with it was lost',
  closed: 'the client was closed before the hold was released',
  minority:
    'fewer than a majority of the masters still confirm the hold; another client may have entered since',
  suspended: 'the machine was suspended after the store last confirmed the hold; check isHeld again shortly',
}

const evictedBy = (by: string): string =>
  `the hold was revoked by ${by}; another client may have entered since`

const limitText =
  'the hold limit (maxHoldMs) passed before the lease was released; another client may have entered since'

const sessionText =
  'the session of this client at the store ended before it was released; another client may have entered since'

const fixedAdvice = '. Leave leaseMs out to have it renewed'
const renewalAdvice =
  '. No renewal was confirmed in time: the store did not reply, or this process stood still (a blocked event loop, a stopped process)'
const failureAdvice = '. No renewal was confirmed in time'

const sessionAdvice =
  '. The session was not confirmed in time: the store did not reply, as the error events of the client say, or this process ' +
  'stood still (a blocked event loop, a stopped process)'

interface LossFacts {
  readonly isAtLimit?: boolean
  readonly hasSessionEnded?: boolean
  readonly cause?: Error | undefined
  readonly by?: string | undefined
}

/**
 * The loss of a hold.
 *
 * @param facts - `isAtLimit`: it was not renewed because it had reached its limit; `hasSessionEnded`: before its own lease;
 * `cause`: the loss that brought it about, of a lock that was acquired together with it, or what its latest renewal failed with; `by`: who
 * evicted its owner
 */
export const lossOf = (
  target: Named,
  owner: string,
  reason: LossReason,
  facts: LossFacts = {},
): LockLostError => {
  const { cause, by } = facts
  const [text, advice] = textOf(reason, facts)
  const { name } = target.address
  const why = cause ? `: ${cause.message}` : ''
  const message = `${text} (${titleOf(target)}, owner ${owner})${why}${advice}`
  return new LockLostError(message, { lockName: name, owner, reason, cause, by })
}

/** What ended the hold, and what to do. */
function textOf(
  reason: LossReason,
  { isAtLimit, hasSessionEnded, cause, by }: LossFacts,
): readonly [text: string, advice: string] {
  if (by !== undefined) return [evictedBy(by), '']
  if (reason === 'expired')
    return hasSessionEnded
      ? [sessionText, sessionAdvice]
      : [lossText.expired, cause ? failureAdvice : renewalAdvice]
  if (reason !== 'ended') return [lossText[reason], '']
  if (cause) return [lossText['member-lost'], '']
  return isAtLimit ? [limitText, ''] : [lossText.ended, fixedAdvice]
}

/** Why a lock is lost together with another one: what one had to end by, the others end by too. */
export const reasonTogether = ({ reason }: LockLostError): 'ended' | 'member-lost' =>
  reason === 'ended' ? 'ended' : 'member-lost'

/**
 * The same for one call that runs into it, with the stack of that call. The hold's own was mostly made by a timer, and
 * is shared. The cause of the loss of another lock stays the loss of that one.
 */
export const lossForCaller = (loss: LockLostError): LockLostError => {
  const { lockName, owner, reason, by, cause = loss } = loss
  return new LockLostError(loss.message, { lockName, owner, reason, by, cause })
}

/** The error for a write lock that is wanted inside a read lock of the same caller. */
export const upgradeRefused = ({ address: { name } }: Target, owner: string): UpgradeError =>
  new UpgradeError(
    `write lock ${name} cannot be acquired inside a read lock that this caller holds (owner ${owner}): ` +
      'two readers that both wait to write would wait for each other. Release the read lock first, or take the write lock from the start',
    { lockName: name, owner },
  )

/** More than an operator evicts at once. */
const mostNotes = 1_000
/**
 * An eviction follows its announcement within two commands' time, and so does its notification. One that comes much later is
 * another eviction: the announced one failed, or found another holder.
 */
const noteKeptMs = 60_000

/** Whether it can be who evicts an owner. The text goes into error messages and logs, so it must be printable. */
export const isEvictor = (by: unknown): by is string =>
  typeof by === 'string' && /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(by)

/** Who is about to evict which owners of this client. The store reports an eviction, but not by whom. */
export class Evictions {
  readonly #notes = new Map<string, { readonly by: string; readonly at: number }>()

  /** @param owner - of this client: notes about others would take the place of those about its own */
  note(owner: string, by: string): void {
    this.#notes.delete(owner)
    this.#notes.set(owner, { by, at: monotonicMs() })
    // An eviction that was announced may have found another holder: its note is never asked for.
    const [oldest] = this.#notes.keys()
    if (this.#notes.size > mostNotes && oldest !== undefined) this.#notes.delete(oldest)
  }

  /** Who evicts this owner, if that was announced a short time ago. Forgets it. */
  take(owner: string): string | undefined {
    const note = this.#notes.get(owner)
    this.#notes.delete(owner)
    return note && monotonicMs() - note.at <= noteKeptMs ? note.by : undefined
  }
}

/** What entitles its bearer to take over a lock, and who holds the lock until then. */
export interface Ticket {
  readonly text: string
  /** Says nothing of the text but to who has it. */
  readonly heir: string
}

const form = /^holdfast-ticket\.([\w-]+)\.([\w-]+:\d+)\.([\w-]{22})$/

/** For one lock, and one hand-over of it. @param owner - who hands it over */
export function newTicket(engine: string, address: Address, owner: string): Ticket {
  // 132 bits.
  const secret = nanoid(22)
  const text = `holdfast-ticket.${placeOf(engine, address)}.${owner}.${secret}`
  return { text, heir: heirOf(owner, digestOf(secret)) }
}

/**
 * Who holds the lock for this ticket. The ticket is not repeated in errors.
 *
 * @throws `InvalidArgumentError` unless the ticket is for this lock
 */
export function heirBy(ticket: unknown, engine: string, address: Address): string {
  const { name: lockName } = address
  const [, place, owner = '', secret = ''] = form.exec(typeof ticket === 'string' ? ticket : '') ?? []
  if (place !== placeOf(engine, address)) {
    throw new InvalidArgumentError(
      `this ticket is not for lock ${lockName}: pass the one that handOver() gave for the same name, prefix and engine`,
      { lockName },
    )
  }
  return heirOf(owner, digestOf(secret))
}

/** Tells locks apart, and engines. A store has too many addresses to be told apart by them: elsewhere a ticket finds no lock. */
const placeOf = (engine: string, { id }: Address): string => digestOf(`${engine} ${id}`).slice(0, 8)

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)
