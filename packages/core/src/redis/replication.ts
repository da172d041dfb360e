import { bounded, timedOut } from '../util/with-timeout.js'
import { momentNow } from '../util/clock.js'
import type { Moment } from '../util/clock.js'
import { UnavailableError, ReplicationError } from '../errors.js'
import type { LockKeys } from './keys.js'
import type { CommandLink, ReplicatedReply } from './connection/script-connection.js'
import type { AskAnswer, LockCommands } from './commands.js'
import { hasCode, isRedirect } from './errors.js'
import type { Ask } from './kinds/lock.js'
import type { ServerIdentity } from './server-identity.js'

export interface ReplicationOptions {
  /** A connection of its own: WAIT blocks it. */
  readonly link: CommandLink
  readonly commands: LockCommands
  readonly servers: ServerIdentity
  /** How many replicas must have a grant. */
  readonly wanted: number
  readonly timeoutMs: number
}

/** What Redis answered to the repeated ask, and how many replicas had it in time. */
export interface Confirmation {
  readonly answer: AskAnswer
  readonly sentAt: Moment
  readonly leaseMs: number
  readonly acknowledged: number
  /** How many were connected, if that is known; asked only when too few acknowledged. */
  readonly connected: number | undefined
}

/** One ask to be repeated. It is made when it is sent, since it may have to stand in line; `null`: no longer wanted. */
type NextAsk = () => Ask | null

interface Member {
  readonly keys: LockKeys
  readonly nextAsk: NextAsk
  readonly inFull: boolean
  resolve(confirmation: Confirmation): void
  reject(error: unknown): void
}

/** An error message may wait this long for what makes it more helpful. */
const connectedGraceMs = 200

/**
 * Repeats the asks of those who were granted a lock, and has replicas acknowledge them.
 *
 * The repetition writes, whoever's command made the grant, so that a WAIT behind it on the same connection speaks for it.
 * A WAIT holds up its connection; whoever comes meanwhile goes with the next, together with all others.
 */
export class Replication {
  readonly #options: ReplicationOptions
  /** Per route with a WAIT on: those who go with the next. */
  readonly #lines = new Map<string, Member[]>()

  constructor(options: ReplicationOptions) {
    this.#options = options
  }

  /** As of the link: a change while `confirm` was on means that an ask may still come. */
  get breaks(): number {
    return this.#options.link.breaks
  }

  /** Rejects with what the commands failed with, which is no matter of replicas. */
  async confirm(keys: LockKeys, nextAsk: NextAsk): Promise<Confirmation> {
    const { link } = this.#options
    if (!link.isRouted(keys.lock)) await this.#findWay(keys, nextAsk)
    try {
      return await this.#inRound(keys, nextAsk)
    } catch (error) {
      if (!isRedirect(error)) throw error
      await this.#findWay(keys, nextAsk)
    }
    try {
      return await this.#inRound(keys, nextAsk)
    } catch (error) {
      if (!isRedirect(error)) throw error
      throw new UnavailableError('the slot of the lock is being moved to another node', { cause: error })
    }
  }

  close(): Promise<void> {
    return this.#options.link.close()
  }

  /** Why a hold was given back. */
  fault(keys: LockKeys, owner: string, what: Confirmation | 'wait ended'): ReplicationError {
    const { wanted, timeoutMs } = this.#options
    const acknowledged = what === 'wait ended' ? undefined : what.acknowledged
    const text = `lock ${keys.name} was granted to ${owner} and given back: ${shortfall(what, wanted, timeoutMs)}`
    return new ReplicationError(text, { lockName: keys.name, owner, wanted, acknowledged })
  }

  /** A cluster client finds out where a slot is by a command that it may redirect; a WAIT it cannot send there. */
  async #findWay(keys: LockKeys, nextAsk: NextAsk): Promise<void> {
    const { link, commands } = this.#options
    const ask = nextAsk()
    if (!ask) throw abandoned()
    await link.run(commands.acquireCall(keys, ask), commands.readAcquire)
  }

  async #inRound(keys: LockKeys, nextAsk: NextAsk): Promise<Confirmation> {
    const join = (inFull: boolean): Promise<Confirmation> =>
      new Promise((resolve, reject) => {
        this.#join({ keys, nextAsk, inFull, resolve, reject })
      })
    try {
      return await join(false)
    } catch (error) {
      if (!hasCode(error, 'NOSCRIPT')) throw error
      return await join(true)
    }
  }

  #join(member: Member): void {
    const route = this.#options.link.routeOf(member.keys.lock)
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

  /** Never rejects: its members are told. */
  async #round(members: readonly Member[]): Promise<void> {
    const { link, commands, wanted, timeoutMs } = this.#options
    const sentAt = momentNow()
    const asked: { member: Member; ask: Ask }[] = []
    for (const member of members) {
      const ask = member.nextAsk()
      if (ask) asked.push({ member, ask })
      else member.reject(abandoned())
    }
    if (asked.length === 0) return
    const calls = asked.map(({ member: { keys, inFull }, ask }) => ({
      ...commands.acquireCall(keys, ask),
      inFull,
    }))
    try {
      const results = await link.runAndWait(calls, wanted, timeoutMs)
      const connected = await this.#connected(asked[0]?.member.keys, results)
      asked.forEach(({ member, ask: { leaseMs } }, i) => {
        const result = results[i]
        if (result?.status !== 'fulfilled') {
          member.reject(result?.reason)
          return
        }
        const { reply, acknowledged } = result.value
        try {
          member.resolve({ answer: commands.readAcquire(reply), sentAt, leaseMs, acknowledged, connected })
        } catch (error) {
          member.reject(error)
        }
      })
    } catch (error) {
      for (const { member } of asked) member.reject(error)
    }
  }

  async #connected(
    keys: LockKeys | undefined,
    results: readonly PromiseSettledResult<ReplicatedReply>[],
  ): Promise<number | undefined> {
    const { servers, wanted } = this.#options
    const tooFew = results.some(
      (result) => result.status === 'fulfilled' && result.value.acknowledged < wanted,
    )
    if (!keys || !tooFew || servers.isRefused) return undefined
    const reading = servers.read(keys.lock).catch(() => undefined)
    const info = await bounded(reading, connectedGraceMs, undefined)
    return info === timedOut ? undefined : info?.replicas
  }
}

function shortfall(what: Confirmation | 'wait ended', wanted: number, timeoutMs: number): string {
  const replicas = wanted === 1 ? '1 replica' : `${wanted} replicas`
  if (what === 'wait ended') return `waitMs ended before ${replicas} (minReplicas) had acknowledged it`
  const { acknowledged, connected, leaseMs } = what
  if (acknowledged >= wanted) {
    return (
      `its lease of ${leaseMs} ms may have ended by the time that ${replicas} had acknowledged it. ` +
      'Use a longer lease, or a replicaTimeoutMs below it'
    )
  }
  const ofThem = connected === undefined ? '' : ` (${connected} connected)`
  return (
    `${acknowledged} of the ${replicas} wanted (minReplicas) acknowledged it within ${timeoutMs} ms${ofThem}. ` +
    'Look after the replicas, or lower minReplicas, or raise replicaTimeoutMs'
  )
}

const abandoned = (): UnavailableError => new UnavailableError('given up before it was sent')
