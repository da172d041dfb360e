import type { Confirmation, Confirmer } from '../engine/lock-steps.js'
import type { AcquireRequest } from '../engine/requests.js'
import { ReplicationError, UnavailableError } from '../errors/errors.js'
import { momentNow } from '../time/time.js'
import { timedOut, withTimeout } from '../util/timeouts.js'
import type { RedisCommands } from './commands.js'
import type { ReplicatedReply, ScriptConnection } from './connection/script-connection.js'
import { engineName, hasCode, isRedirect } from './errors.js'
import type { Keys } from './keys.js'
import type { ServerIdentity } from './server-identity.js'

export interface ReplicasOptions {
  /** A connection of its own: WAIT blocks it. */
  readonly connection: ScriptConnection
  readonly commands: RedisCommands
  readonly servers: ServerIdentity
  /** How many replicas must have a grant. */
  readonly wanted: number
  readonly timeoutMs: number
}

/** A request to be repeated, made when it is sent, since it may have to wait in line; `null`: no longer wanted. */
type NextRequest = () => AcquireRequest | null

interface Member {
  readonly keys: Keys
  readonly next: NextRequest
  readonly inFull: boolean
  resolve(confirmation: Confirmation): void
  reject(error: unknown): void
}

/** An error may wait this long for a detail that makes its message more helpful. */
const connectedGraceMs = 200

/**
 * Repeats the requests of owners that were granted a lock, and has replicas acknowledge them.
 *
 * The repetition writes, regardless of whose command made the grant, so that a WAIT behind it on the same connection covers
 * it. A WAIT blocks its connection; requests that arrive in the meantime all share the next one.
 */
export class Replicas implements Confirmer {
  readonly #options: ReplicasOptions
  /** Per route with a WAIT under way: those that go with the next. */
  readonly #lines = new Map<string, Member[]>()

  constructor(options: ReplicasOptions) {
    this.#options = options
  }

  get connectionEpoch(): number {
    return this.#options.connection.epoch
  }

  get wanted(): number {
    return this.#options.wanted
  }

  /** Rejects when the commands themselves fail. */
  async confirm(keys: Keys, next: NextRequest): Promise<Confirmation> {
    const { connection } = this.#options
    if (!connection.isRouted(keys.main)) await this.#findWay(keys, next)
    try {
      return await this.#inRound(keys, next)
    } catch (error) {
      if (!isRedirect(error)) throw error
      await this.#findWay(keys, next)
    }
    try {
      return await this.#inRound(keys, next)
    } catch (error) {
      if (!isRedirect(error)) throw error
      throw new UnavailableError("the lock's slot is being migrated to another node", {
        cause: error,
        engine: engineName,
      })
    }
  }

  close(): Promise<void> {
    return this.#options.connection.close()
  }

  shortfall(keys: Keys, owner: string, what: Confirmation | 'wait ended'): ReplicationError {
    const { wanted, timeoutMs } = this.#options
    const acknowledged = what === 'wait ended' ? undefined : what.acknowledged
    const text = `${keys.name} was granted to ${owner} and released again: ${shortfallText(what, wanted, timeoutMs)}`
    return new ReplicationError(text, { lockName: keys.name, owner, wanted, acknowledged })
  }

  /** A cluster client learns where a slot is from a command that it may redirect; it cannot do that with a WAIT. */
  async #findWay(keys: Keys, next: NextRequest): Promise<void> {
    const { connection, commands } = this.#options
    const request = next()
    if (!request) throw abandoned()
    await connection.run(commands.acquireCall(keys, request), commands.readAcquire)
  }

  async #inRound(keys: Keys, next: NextRequest): Promise<Confirmation> {
    const join = (inFull: boolean): Promise<Confirmation> =>
      new Promise((resolve, reject) => this.#join({ keys, next, inFull, resolve, reject }))
    try {
      return await join(false)
    } catch (error) {
      if (!hasCode(error, 'NOSCRIPT')) throw error
      return await join(true)
    }
  }

  #join(member: Member): void {
    const route = this.#options.connection.routeOf(member.keys.main)
    const line = this.#lines.get(route)
    if (line) line.push(member)
    else void this.#serve(route, member)
  }

  async #serve(route: string, first: Member): Promise<void> {
    let members: readonly Member[] = [first]
    while (members.length > 0) {
      const next: Member[] = []
      this.#lines.set(route, next)
      await this.#round(members)
      members = next
    }
    this.#lines.delete(route)
  }

  /** Never rejects; its members do. */
  async #round(members: readonly Member[]): Promise<void> {
    const { connection, commands, wanted, timeoutMs } = this.#options
    const sentAt = momentNow()
    const sent: { member: Member; request: AcquireRequest }[] = []
    for (const member of members) {
      const request = member.next()
      if (request) sent.push({ member, request })
      else member.reject(abandoned())
    }
    if (sent.length === 0) return
    const calls = sent.map(({ member: { keys, inFull }, request }) => ({
      ...commands.acquireCall(keys, request),
      inFull,
    }))
    try {
      const results = await connection.runAndWait(calls, wanted, timeoutMs)
      const connected = await this.#connected(sent[0]?.member.keys, results)
      sent.forEach(({ member, request: { leaseMs } }, i) => {
        const result = results[i]
        const call = calls[i]
        if (result?.status !== 'fulfilled' || !call) {
          member.reject(result?.status === 'rejected' ? result.reason : abandoned())
          return
        }
        const { reply, acknowledged } = result.value
        try {
          const confirmed = commands.readAcquire(reply, call)
          member.resolve({ reply: confirmed, sentAt, leaseMs, acknowledged, connected })
        } catch (error) {
          member.reject(error)
        }
      })
    } catch (error) {
      for (const { member } of sent) member.reject(error)
    }
  }

  async #connected(
    keys: Keys | undefined,
    results: readonly PromiseSettledResult<ReplicatedReply>[],
  ): Promise<number | undefined> {
    const { servers, wanted } = this.#options
    const tooFew = results.some(
      (result) => result.status === 'fulfilled' && result.value.acknowledged < wanted,
    )
    if (!keys || !tooFew || servers.isRefused) return undefined
    const reading = servers.read(keys.main).catch(() => undefined)
    const info = await withTimeout(reading, connectedGraceMs)
    return info === timedOut ? undefined : info?.replicas
  }
}

function shortfallText(what: Confirmation | 'wait ended', wanted: number, timeoutMs: number): string {
  const replicas = wanted === 1 ? '1 replica' : `${wanted} replicas`
  if (what === 'wait ended') return `waitMs elapsed before ${replicas} (minReplicas) acknowledged it`
  const { acknowledged, connected, leaseMs } = what
  if (acknowledged >= wanted) {
    return (
      `its lease of ${leaseMs} ms may have expired by the time ${replicas} acknowledged it. ` +
      'Use a longer lease, or a replicaTimeoutMs below it'
    )
  }
  const ofThem = connected === undefined ? '' : ` (${connected} connected)`
  return (
    `${acknowledged} of ${wanted} required replicas (minReplicas) acknowledged it within ${timeoutMs} ms${ofThem}. ` +
    'Check the replicas, lower minReplicas, or raise replicaTimeoutMs'
  )
}

const abandoned = (): UnavailableError =>
  new UnavailableError('abandoned before it was sent', { engine: engineName })
