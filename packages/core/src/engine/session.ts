import type { Addressing } from './addressing.js'
import type { Confirmer } from './confirmer.js'
import type { FencedClient, FencingLease } from './fencing.js'
import type { Examination, Finding } from './finding.js'
import type { EngineHost } from './host.js'
import type { Inbox } from './inbox.js'
import type { LatchSession } from './latch.js'
import type { LockSteps } from './lock-steps.js'
import type { OperatorSession } from './operator.js'
import type { Registry } from './registry.js'
import type { Address } from './requests.js'
import type { Sharing } from './sharing.js'
import type { StoreFacts } from './store-facts.js'
import type { Traits } from './traits.js'

/**
 * Where locks are stored, and how they pass from one owner to the next. `new Holdfast({ engine })` opens one session.
 *
 * An engine decides nothing about async contexts, leases of callers, deadlines or retries: it carries out single steps,
 * each atomic in its store, and reports what happens there. Every step may be carried out twice, late, or without its
 * reply arriving; see {@link LockSteps} for what each must be like for that to be harmless.
 */
export interface LockEngine {
  /** Appears in errors and in `UnavailableError.engine`, such as `redis`. */
  readonly name: string
  readonly traits: Traits
  /** Present if clients of another library use the objects, too. */
  readonly sharing?: Sharing
  /** Opens a session for one client. Does not connect yet, and throws only for invalid options. */
  open(host: EngineHost): EngineSession
  /**
   * Fails the application's transaction if the lease is not the current one, and has later holders that call it wait until
   * this transaction is over. For stores whose database the application may write to as well; without it `lease.fence` is
   * refused.
   *
   * @param timeoutMs - how long the client may take to reply at all; waiting for other transactions has no limit
   * @throws `LockLostError` if the lease is not the current one, `InvalidArgumentError` outside a transaction
   */
  fence?(client: FencedClient, lease: FencingLease, timeoutMs: number): Promise<void>
  /**
   * Looks at the store for those who run it: is it fit for locks, and configured so that they outlast what happens to servers? On connections
   * of its own, which it closes. Nothing that it writes stays. What cannot be looked at is a finding as well.
   */
  examine?(examination: Examination): Promise<readonly Finding[]>
}

/** An engine for one client: what the core needs of it, by role. The roles stay the same objects. */
export interface EngineSession {
  readonly store: StoreFacts
  readonly names: Addressing
  readonly steps: LockSteps
  readonly inbox: Inbox
  readonly registry: Registry
  /** Present if the engine's traits promise latches. */
  readonly latches?: LatchSession | undefined
  /** Present if the engine's traits promise `operator`. */
  readonly operator?: OperatorSession | undefined
  /** Present only if the store can have replicas confirm a grant. */
  readonly confirmer?: Confirmer | undefined

  /** First-use checks: connects, refuses a store that cannot keep locks, registers the client, begins to subscribe. */
  prepare(address: Address): Promise<void>
  /**
   * Takes the steps of one more kind of object, which that object brings along. Engines that have all steps anyway leave it out, and one
   * ignores what is not its own. What it takes may add to the roles.
   */
  carry?(steps: unknown): void
  /** Ends all timers and connections. Steps in progress reject. */
  close(): Promise<void>
}
