import type { UnavailableError } from '../errors/errors.js'
import type { Address } from './requests.js'

/** What a session knows of its store, and of its connection to it. */
export interface StoreFacts {
  /** Names the store in messages, such as `Redis at 127.0.0.1:6379`. Without it they use the engine's name. */
  readonly name?: string
  /** Why the store has not replied yet, if the connection shows it, such as a handshake that does not end. */
  readonly doubt?: UnavailableError | undefined
  /**
   * Grows with every connection that breaks. The core compares readings: a request during which it changed may have been
   * carried out twice, or may have been carried out although it failed.
   */
  readonly connectionEpoch: number
  /**
   * Until when all that this client holds is certain to be kept, unless its session is proven again: by {@link EngineHost.now},
   * with all margins off. No hold is claimed past it, whatever its lease; it is read each time, so that a process that stood still
   * claims nothing. Present if the engine's traits say `lease.of: 'session'`.
   *
   * It rises only while the session lives. Once it has ended this stays in the past, {@link EngineHost.broken} has the client end its
   * holds, and only then may this rise for another session.
   */
  readonly aliveUntil?: number | undefined

  /**
   * Identifies the running store that has this address's data; it differs after a restart or failover. A release that was
   * sent twice and found nothing to release succeeded the first time if this is still the same. `undefined`: not known.
   */
  incarnation(address: Address): Promise<string | undefined>
  /**
   * The same from memory, without I/O, as of the last reply since a connection broke; `null` if the store does not report it.
   * While it is `undefined` the core requests it once per hold, and a release in doubt counts as a loss.
   */
  knownIncarnation(address: Address): string | null | undefined

  /**
   * For how long the running store that has this address's data has been running, or has had its present data, milliseconds;
   * rather too short than too long. `undefined`: not known. Only quorum locks ask, after each break of the connection.
   */
  uptimeMs?(address: Address): Promise<number | undefined>
}
