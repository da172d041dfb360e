import type { ObjectType } from './requests.js'

/** What is special about an engine whose objects are used by clients of another library, too. */
export interface Sharing {
  /** The other library, for messages. All masters of a quorum are shared with the same one, or none is. */
  readonly library: string
  /** What to do for a fencing token, for the error of a lease that has none. */
  readonly tokenAdvice: (object: ObjectType) => string
  /**
   * Who an owner of the other library is among those of a quorum, at each master of which it may have another name; `undefined` for
   * an owner of ours.
   */
  readonly foreignOwnerOf: (owner: string) => string | undefined
  /** Whether this names a holder of permits as the other library does. */
  readonly isForeignHolder: (text: string) => boolean
  /**
   * Checks a resize before it is sent.
   *
   * @throws `InvalidArgumentError` for one that the other library has no counterpart of
   */
  readonly checkResize: (semaphore: string, keepMs: number | undefined) => void
}
