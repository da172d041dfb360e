import { Health } from '../composing/quorum/health.js'
import { Master } from '../composing/quorum/master.js'
import type { ClientInfo } from '../engine/replies.js'
import type { LockEngine } from '../engine/session.js'
import type { HoldfastError } from '../errors/errors.js'
import type { Events } from '../events/events.js'
import type { QuorumSettings } from '../options/quorum-options.js'
import { StoreClient } from './store-client.js'
import type { Background } from '../util/background.js'
import { withTimeout } from '../util/with-timeout.js'

/** What one member needs of its quorum client. */
export interface QuorumMemberDeps {
  readonly clientId: string
  readonly client: ClientInfo
  readonly settings: QuorumSettings
  readonly events: Events
  readonly background: Background
  assertOpen(): void
  /** The name of another master, up, that is the same running store. */
  twinOf(master: Master, incarnation: string): string | undefined
  wentDown(master: Master, error: HoldfastError): void
  cameUp(): void
}

/** The working parts that a quorum client has for one of its masters, put together. */
export class QuorumMember {
  readonly master: Master
  readonly #deps: QuorumMemberDeps
  readonly #store: StoreClient
  readonly #health: Health

  constructor(deps: QuorumMemberDeps, engine: LockEngine, position: number) {
    this.#deps = deps
    const { clientId, client, settings, events, background } = deps
    const suspect = (): void => {
      this.#health.suspect()
    }
    const store = new StoreClient(
      {
        clientId,
        client,
        settings: { ...settings, maxWaiters: Infinity },
        events,
        background,
        // Votes are no holds of the application.
        holdObserver: undefined,
        assertOpen: () => {
          deps.assertOpen()
        },
        onReady: () => undefined,
        onMissed: () => undefined,
        onUnsubscribed: suspect,
        onReconnected: suspect,
        // That the master is down is reported once, when that is found out.
        onError: () => undefined,
      },
      engine,
    )
    this.#store = store
    const { session, holds, waiters, watchdog, abandonment, proofs, polls, queuesUnnotified } = store
    const { store: facts, names, steps, inbox, registry } = session
    const name = facts.name ?? `master ${position} (${engine.name})`
    const { memberTimeoutMs, restartQuarantineMs } = settings
    const health = new Health({
      store: facts,
      settings: { name, engine: engine.name, memberTimeoutMs, restartQuarantineMs },
      prepare: (address) => store.ready(address),
      twinOf: (incarnation) => deps.twinOf(this.master, incarnation),
      onDown: (error) => {
        events.emitError(error)
        deps.wentDown(this.master, error)
      },
      onUp: () => {
        events.reached()
        deps.cameUp()
      },
    })
    this.#health = health
    this.master = new Master({
      name,
      names,
      steps,
      registry,
      sharing: engine.sharing,
      health,
      acquisitionDeps: {
        store: facts,
        steps,
        inbox,
        confirmer: undefined,
        settings: {
          ...settings,
          clientId: deps.clientId,
          storeName: name,
          maxWaiters: Infinity,
          polls,
          queuesUnnotified,
        },
        waiters,
        abandonment,
        proofs,
        lastErrorSince: (at) => store.lastErrorSince(at),
        ready: (address) => health.ready(address),
      },
      holdDeps: {
        store: facts,
        steps,
        settings,
        holds,
        watchdog,
        background,
        abandonment,
        evictorOf: store.evictorOf,
        channels: undefined,
      },
    })
  }

  /** Ends every wait, and lets go of every vote that is left. */
  async close(): Promise<void> {
    const { memberTimeoutMs } = this.#deps.settings
    const { holds, waiters } = this.#store
    waiters.close()
    for (const hold of holds.all) if (!hold.isReleased) hold.lose('closed')
    await Promise.all([
      withTimeout(this.#deps.background.settled(), memberTimeoutMs),
      holds.drained(memberTimeoutMs),
    ])
    this.#health.close()
    await this.#store.close()
  }
}
