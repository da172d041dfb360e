import { titleOf, type Address, type ObjectKind, type Target } from '../engine/requests.js'
import type { LockEngine, Traits } from '../engine/session.js'
import {
  InvalidArgumentError,
  UnavailableError,
  type HoldfastError,
  type HoldfastErrorDetails,
} from '../errors/errors.js'
import { checkInteger, checkObject, checkOptions, requireInteger } from '../options/checks.js'
import {
  clientOptionNames,
  defaultWatchdogTimeoutMs,
  resolveSettings,
  type ClientOptions,
  type Settings,
} from '../options/options.js'
import { kindOf } from '../util/mistakes.js'

/** How a quorum client behaves with any engine. */
export interface QuorumClientOptions extends Omit<ClientOptions, 'commandTimeoutMs'> {
  /**
   * How long one command to one master may go without a reply. After that the master counts as down: it gets no requests, and
   * is checked once in this time until it replies. At least 1.
   *
   * A master that stops replying delays one acquisition, by one and a half times this time at most. A shorter time notices it sooner, but is more
   * likely to mistake a slow master for a dead one.
   *
   * @defaultValue 1_000
   */
  readonly memberTimeoutMs?: number | undefined
  /**
   * For how long after its start a master has no vote: it may have lost its locks, and a second owner could get a majority
   * with its help. At least `watchdogTimeoutMs`; a longer `leaseMs` than this is rejected.
   *
   * Must be the same in all processes, as `watchdogTimeoutMs`. 0 turns this off: for masters that never lose a write when
   * they restart, and for tests. When all masters have just started, no client gets a lock until the time is over.
   *
   * @defaultValue `watchdogTimeoutMs`
   */
  readonly restartQuarantineMs?: number | undefined
}

const quorumClientOptionNames: readonly string[] = [
  ...clientOptionNames.filter((name) => name !== 'commandTimeoutMs'),
  ...['memberTimeoutMs', 'restartQuarantineMs'],
]

/** Options that a quorum cannot honour, and why. */
const refusedOptions: Readonly<Record<string, string>> = {
  minReplicas:
    'a quorum does not wait for replicas: its masters are independent, and a majority of them confirms each grant',
  replicaTimeoutMs: 'a quorum does not wait for replicas',
  commandTimeoutMs: 'a quorum has memberTimeoutMs instead',
  redis: 'a quorum needs several independent masters: pass them as masters: [a, b, c]',
  engine:
    'a quorum needs several independent masters: pass them as masters: [{ engine: a }, { engine: b }, …]',
}

/** Checked options of a quorum client. */
export interface QuorumSettings extends Settings {
  readonly memberTimeoutMs: number
  readonly restartQuarantineMs: number
}

export function checkQuorumOptions(options: unknown, known: readonly string[]): void {
  checkObject(options, '; pass new HoldfastQuorum({ masters: [a, b, c] })')
  for (const [option, reason] of Object.entries(refusedOptions)) {
    if (option in options)
      throw new InvalidArgumentError(`${option} is not an option of HoldfastQuorum: ${reason}`)
  }
  checkOptions(options, new Set([...known, ...quorumClientOptionNames]))
}

/** At least three masters: with two, the loss of either leaves no majority. */
export function checkMasters(masters: unknown): asserts masters is readonly unknown[] {
  const given: unknown = masters
  if (!Array.isArray(given)) {
    throw new InvalidArgumentError(
      `masters must be an array of at least 3 masters, got ${kindOf(given)}; pass new HoldfastQuorum({ masters: [a, b, c] })`,
    )
  }
  if (given.length < 3) {
    throw new InvalidArgumentError(
      `masters must be at least 3, got ${given.length}: with fewer, the loss of one leaves no majority`,
    )
  }
}

/** Refuses engines that cannot be masters of one quorum. */
export function checkEngines(engines: readonly LockEngine[]): void {
  const [first] = engines.map(sharedWith)
  for (const [i, engine] of engines.entries()) {
    if (sharedWith(engine) !== first) {
      throw new InvalidArgumentError(
        `masters of a quorum must all be shared with the same clients, but masters[0] is shared with ${first} and masters[${i}] with ${sharedWith(engine)}`,
      )
    }
    const { confirmation, of } = engine.traits.lease
    if (of === 'session') {
      throw new InvalidArgumentError(
        `masters[${i}] is an engine whose holds end with a session (${engine.name}), which a vote cannot rely on; servers of such a ` +
          'store make up a majority among themselves: use one client, new Holdfast({ engine }), on all of them',
      )
    }
    if (confirmation) {
      throw new InvalidArgumentError(
        `masters[${i}] has each grant confirmed within ${confirmation.option}, which a quorum does not wait for: its masters are ` +
          'independent, and a majority of them confirms each grant; leave that out of its options',
      )
    }
  }
}

const sharedWith = ({ sharing }: LockEngine): string => sharing?.library ?? 'clients of Holdfast only'

/** Checks the options of a quorum client and fills in the defaults. */
export function resolveQuorumSettings(
  options: QuorumClientOptions,
  engines: readonly LockEngine[],
): QuorumSettings {
  checkInteger('memberTimeoutMs', options.memberTimeoutMs, 1)
  const memberTimeoutMs = options.memberTimeoutMs ?? 1_000
  const { label, waitMs, leaseMs, maxHoldMs, signal, reentrant, watchdogTimeoutMs, maxWaiters } = options
  const clientOptions = {
    label,
    waitMs,
    leaseMs,
    maxHoldMs,
    signal,
    reentrant,
    watchdogTimeoutMs,
    maxWaiters,
  }
  const engine = { name: engines[0]?.name ?? '', traits: commonTraits(engines) }
  const restartQuarantineMs = options.restartQuarantineMs ?? watchdogTimeoutMs ?? defaultWatchdogTimeoutMs
  const longestLease =
    restartQuarantineMs === 0 ? undefined : { ms: restartQuarantineMs, option: 'restartQuarantineMs' }
  const allOptions = { ...clientOptions, commandTimeoutMs: memberTimeoutMs }
  const settings = resolveSettings(allOptions, engine, longestLease)
  if (restartQuarantineMs !== 0) {
    const why = ', or 0 (at least watchdogTimeoutMs: a vote lasts that long)'
    requireInteger('restartQuarantineMs', restartQuarantineMs, settings.watchdogTimeoutMs, why)
  }
  return { ...settings, memberTimeoutMs, restartQuarantineMs }
}

/** What all of them promise. */
function commonTraits(engines: readonly LockEngine[]): Traits {
  const all = engines.map(({ traits }) => traits)
  const [first] = all
  if (!first) throw new InvalidArgumentError('masters must be at least 3, got 0')
  return {
    ...first,
    ...(all.some(({ evicts }) => evicts) && { evicts: true as const }),
    fencing: all.find(({ fencing }) => fencing === 'none')?.fencing ?? first.fencing,
    lease: {
      stepMs: Math.max(...all.map(({ lease }) => lease.stepMs)),
      shortestMs: Math.max(...all.map(({ lease }) => lease.shortestMs)),
      marginMs: Math.max(...all.map(({ lease }) => lease.marginMs)),
    },
  }
}

/** Why a master did not vote. */
export interface Trouble {
  readonly name: string
  readonly error: HoldfastError
}

/** Follows what is said about a master in quarantine; once, however many there are. */
export const whyQuarantined =
  '. Such a server may have lost its locks; servers that have only just been set up, as in tests, have nothing to lose: ' +
  'there use restartQuarantineMs: 0'

/** Too few masters replied; names those that did not, and why. */
export function tooFewReached(
  target: { readonly kind: ObjectKind; readonly address: Address },
  { masters, quorum, engine }: { readonly masters: number; readonly quorum: number; readonly engine: string },
  troubles: readonly Trouble[],
  details: HoldfastErrorDetails,
): UnavailableError {
  const all = troubles.map(({ name, error: { message } }) =>
    message.includes(name) ? message : `${name}: ${message}`,
  )
  const reasons = all.map((reason) => reason.replace(whyQuarantined, '')).join('; ')
  const why = all.some((reason) => reason.includes(whyQuarantined)) ? whyQuarantined : ''
  const text = `too few masters can be reached for ${titleOf(target)}: ${quorum} of ${masters} are needed, and ${troubles.length} failed`
  const cause = troubles[0]?.error
  return new UnavailableError(`${text} (${reasons}${why})`, { ...details, engine, cause })
}

/** An error that concerns all locks of a master, without the one that met it. */
export function withoutSubject(
  { message, engine, cause }: UnavailableError,
  target: Target,
): UnavailableError {
  const subject = `${titleOf(target)}: `
  const text = message.startsWith(subject) ? message.slice(subject.length) : message
  return new UnavailableError(text, { engine, cause })
}

/**
 * @param twins - which two masters are one, or what both are
 * @param more - what that means, if the client works nevertheless
 */
export const notIndependent = (twins: string, more = ''): InvalidArgumentError =>
  new InvalidArgumentError(
    `masters must be independent, but two of them are ${twins}; list each server once${more}`,
  )
