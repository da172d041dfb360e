import { titleOf, type Address, type ObjectKind, type Target } from '../engine/requests.js'
import {
  InvalidArgumentError,
  UnavailableError,
  type HoldfastError,
  type HoldfastErrorDetails,
} from '../errors/errors.js'

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
