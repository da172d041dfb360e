import { Channels } from '../channels/channels.js'
import type { QuorumAcquisitions } from '../composing/quorum/acquisitions.js'
import { Health } from '../composing/quorum/health.js'
import { Master } from '../composing/quorum/master.js'
import type { ClientInfo } from '../engine/replies.js'
import type { LockEngine } from '../engine/session.js'
import type { Closing } from '../errors/closing.js'
import type { Events } from '../events/events.js'
import { Operations } from '../operating/operations.js'
import type { OperationsDeps } from '../operating/operations.js'
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
  readonly closing: Closing
  readonly acquisitions: QuorumAcquisitions
}

/** The working parts that a quorum client has for one of its masters, put together. */
export class QuorumMember {
  readonly master: Master
  readonly #deps: QuorumMemberDeps
  readonly #store: StoreClient
  readonly #health: Health

  /** @param members - all of them, this one and later ones once they are made */
  constructor(deps: QuorumMemberDeps, engine: LockEngine, members: readonly QuorumMember[]) {
    this.#deps = deps
    const { clientId, events, background, acquisitions } = deps
    const settings = { ...deps.settings, maxWaiters: Infinity }
    const suspect = (): void => this.#health.suspect()
    const observer = {
      reached: () => undefined,
      unsubscribed: suspect,
      reconnected: suspect,
      // That the master is down is reported once, when that is found out.
      error: () => undefined,
    }
    // Votes are no holds of the application.
    const channels = new Channels({ clientId, engine: engine.name })
    const openOperations = (of: OperationsDeps): Operations => new Operations(of)
    const ofMember = { settings, channels, holdObserver: undefined, openOperations, carried: [], observer }
    const store = new StoreClient({ ...deps, ...ofMember }, engine)
    this.#store = store
    const { session, holds, waiters, watchdog, abandonment, evictions, proofs, silence } = store
    const { store: facts, names, steps, inbox, registry } = session
    const name = facts.name ?? `master ${members.length + 1} (${engine.name})`
    const { memberTimeoutMs, restartQuarantineMs } = settings
    const health = new Health({
      store: facts,
      settings: { name, engine: engine.name, memberTimeoutMs, restartQuarantineMs },
      readiness: store.readiness,
      twinOf: (incarnation) =>
        members.find((other) => other !== this && other.#health.incarnation === incarnation)?.master.name,
      onDown: (error) => {
        events.emitError(error)
        acquisitions.wentDown(this.master, error)
      },
      onUp: () => {
        events.reached()
        acquisitions.cameUp()
      },
    })
    this.#health = health
    const { polls, queuesUnnotified, operations, looks } = store
    this.master = new Master({
      name,
      names,
      steps,
      registry,
      sharing: engine.sharing,
      health,
      acquisition: {
        store: facts,
        steps,
        inbox,
        channels,
        confirmer: undefined,
        settings: { ...settings, clientId, storeName: name, polls, queuesUnnotified },
        waiters,
        abandonment,
        proofs,
        looks,
        silence,
        readiness: health,
      },
      holding: {
        store: facts,
        steps,
        settings,
        holds,
        watchdog,
        background,
        abandonment,
        evictions,
        channels: undefined,
      },
      announce: async (address, owner, by) => operations?.announce(address, owner, by),
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
