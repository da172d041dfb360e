import type { ConnectedClient, ListFilter, ListPage, OperatorSession } from '../engine/operator.js'
import { RefusedError } from '../errors/errors.js'
import { CarriedSteps } from './carried-steps.js'
import type { ScriptConnection } from './connection/script-connection.js'
import { engineName, hasCode } from './errors.js'
import { clientOfInbox, everyInbox, inboxOf } from './keys.js'
import type { Keys, KeySpace } from './keys.js'
import { Listing } from './listing.js'
import type { RedisRegistry } from './registry.js'
import { asList, numberAt, textAt } from './reply.js'
import { lockScripts } from './scripts/generated.js'

export interface RedisOperatorOptions {
  readonly connection: Pick<ScriptConnection, 'run' | 'callAt' | 'masters' | 'routeOf' | 'epoch'>
  readonly keySpace: KeySpace
  readonly registry: RedisRegistry
  readonly clientId: string
  /** Whether all subscribers are at the server that publishes; in a cluster it knows only its own. */
  readonly countsReceivers: boolean
  /** Redis refused to publish. */
  onNoticeError(error: string): void
}

/** How many registrations are read at once. */
const maxReads = 200
/** How many channels one script publishes to: it takes about half a millisecond. */
const maxChannels = 500
/** Longer texts take longer: so many characters in all are still about half a millisecond. */
const maxCharacters = 500_000

/**
 * What operators may ask of Redis. Its user needs the permissions for SCAN, DBSIZE and PUBSUB CHANNELS, which no lock needs.
 */
export class RedisOperator implements OperatorSession {
  readonly #options: RedisOperatorOptions
  readonly #listing: Listing

  constructor(options: RedisOperatorOptions) {
    const { connection, keySpace } = options
    this.#options = options
    this.#listing = new Listing({
      keySpace,
      masters: () => this.#masters(),
      epoch: () => connection.epoch,
      call: (master, command, read) => this.#callAt(master, command, read),
    })
  }

  list(cursor: string | null, filter: ListFilter): Promise<ListPage> {
    return this.#listing.step(cursor, filter)
  }

  /**
   * Clients of this `keyPrefix` that listen for notifications and are registered. In a Cluster one that is still subscribed to
   * a node which has been demoted since is missing. With 10,000 clients Redis works on its list of channels for about 10 ms.
   */
  async clients(): Promise<readonly ConnectedClient[]> {
    const inboxes = await Promise.all(
      [...(await this.#masters())].map((master) =>
        this.#callAt(master, ['PUBSUB', 'CHANNELS', everyInbox], (reply) =>
          asList(reply).map((_, i, list) => textAt(list, i)),
        ),
      ),
    )
    const ids = [...new Set(inboxes.flat())].map(clientOfInbox)
    const connected: ConnectedClient[] = []
    for (const clientIds of chunksOf(ids, maxReads)) {
      const found = await Promise.all(clientIds.map((id) => this.#options.registry.find(id)))
      clientIds.forEach((clientId, i) => {
        const client = found[i]
        if (client) connected.push({ clientId, client })
      })
    }
    return connected
  }

  /** Published where `before` is, so that in a Cluster, too, what is published there later arrives later. */
  async send(clientIds: readonly string[], text: string, before?: Keys): Promise<readonly boolean[]> {
    const { connection, keySpace, countsReceivers } = this.#options
    const perCall = Math.min(maxChannels, Math.ceil(maxCharacters / (text.length + 1)))
    const reached: boolean[] = []
    for (const ids of chunksOf(clientIds, perCall)) {
      const key = before?.main ?? keySpace.registry(clientIds[0] ?? '')
      const call = { script: lockScripts.clientTell, keys: [key], args: [text, ...ids.map(inboxOf)] }
      const reply = await connection.run(call, asList)
      const error = textAt(reply, ids.length)
      if (error !== '') this.#options.onNoticeError(error)
      reached.push(...ids.map((_, i) => (!countsReceivers && error === '') || numberAt(reply, i) > 0))
    }
    return reached
  }

  /** The masters; connects to a cluster first, to know them. */
  async #masters(): Promise<ReadonlySet<string>> {
    const { connection, registry, clientId } = this.#options
    if (connection.masters().size === 0) await registry.find(clientId)
    return connection.masters()
  }

  async #callAt<T>(
    master: string,
    command: readonly [string, ...(string | number)[]],
    read: (reply: unknown) => T,
  ): Promise<T> {
    try {
      return await this.#options.connection.callAt(master, command, read)
    } catch (error) {
      if (hasCode(error, 'NOPERM')) throw notPermitted(error)
      if (!(error instanceof RefusedError)) await this.#lookForSlotsOf(master)
      throw error
    }
  }

  /** Has the cluster client find out which node has the slots of a master that is gone. Never rejects. */
  async #lookForSlotsOf(master: string): Promise<void> {
    const { connection, keySpace, registry } = this.#options
    // Of one that is not known any more the client has found that out.
    if (master === '' || !connection.masters().has(master)) return
    for (let n = 0; n < 100_000; n += 1) {
      if (connection.routeOf(keySpace.registry(String(n))) !== master) continue
      await registry.find(String(n)).catch(() => undefined)
      return
    }
  }
}

const notPermitted = (error: unknown): RefusedError =>
  new RefusedError(
    `${error instanceof Error ? error.message : String(error)}; listing needs +scan +dbsize +pubsub|channels`,
    { cause: error, engine: engineName },
  )

function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/** What those bring along who list objects and ask clients. */
export const operatorSteps = /* @__PURE__ */ new CarriedSteps([], (session) => {
  const { connection, names: keySpace, registry, clientId, isSingle: countsReceivers } = session
  const onNoticeError = (error: string): void => session.onNoticeError(error)
  session.operator = new RedisOperator({
    connection,
    keySpace,
    registry,
    clientId,
    countsReceivers,
    onNoticeError,
  })
})
