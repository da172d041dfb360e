import type { ClientInfo } from './replies.js'
import type { Address, ObjectType } from './requests.js'

/**
 * Steps for those who look after locks. An engine whose traits promise `operator` has them; none of them is taken unless an
 * operator asks. None should hold up the store for longer than about a millisecond; on Redis `clients` takes about 10 ms with
 * 10,000 clients.
 */
export interface OperatorSession {
  /**
   * One small step through the objects that are held or waited for, or may be. May list an object twice, one that is neither, and
   * names that the pattern does not match; must list every object that is held or waited for throughout all steps.
   *
   * @param cursor - where to go on, as the last step returned it; `null` to begin
   */
  list(cursor: string | null, filter: ListFilter): Promise<ListPage>
  /** The clients that are connected. */
  clients(): Promise<readonly ConnectedClient[]>
  /**
   * Passes a text on to clients, which get it through {@link EngineHost.onMessage}. At most once, and not to a client that is not
   * connected. Resolves when the store has passed it on.
   *
   * @param text - at most {@link longestText} bytes of UTF-8, without NUL
   * @param before - the object that a later step of the same caller is about, whose notifications arrive after this text
   * @returns for each client: `false` if it was certainly not reached
   */
  send(clientIds: readonly string[], text: string, before?: Address): Promise<readonly boolean[]>
}

/** What a listing is to contain. */
export interface ListFilter {
  /** Of names. `*` stands for any text and `?` for one character; `\` has the next character mean itself. */
  readonly pattern: string
  /** Only objects that have a queue. */
  readonly contended: boolean
}

/** What one step of a listing found. */
export interface ListPage {
  readonly found: readonly { readonly address: Address; readonly object: ObjectType }[]
  /** How many entries of the store this step looked at. */
  readonly scanned: number
  /** About how many there are in all. */
  readonly total: number
  /** How long the store worked on it, milliseconds, roughly: the next step waits a multiple of it. */
  readonly costMs: number
  /** `null`: that was the last step. */
  readonly next: string | null
}

/** A client that is connected, and what it registered with. */
export interface ConnectedClient {
  readonly clientId: string
  readonly client: ClientInfo
}

/** The most bytes that a text for clients may have, so that every store can pass it on. */
export const longestText = 7_000
