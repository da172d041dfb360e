import type { AcquireReply, EngineHost, EngineSession, ObjectType } from '@holdfast/core/engine'
import type { sessionQueue } from '@holdfast/session-queue'
import { standingOf } from '../../src/shared.js'
import { MemoryQueues, queueTraits } from '@holdfast/sim/stores'
import { ScheduledStore } from './scheduled-store.js'
import { Scheduler, type Choose } from './scheduler.js'

const stepMs = 60_000
const leaseMs = 1_000_000

export interface Setup {
  readonly object: ObjectType
  /** How many permits there are; 1 for a lock. */
  readonly size: number
  /** The largest size that any resize sets. */
  readonly largest?: number
  /** Whether replies to one client come in order, as those of ZooKeeper do, and not those of etcd. */
  readonly isOrdered: boolean
  /** What engines are made by. */
  readonly make: typeof sessionQueue
}

/** A hold, from when its client knows of it. */
interface Claim {
  readonly client: number
  readonly owner: string
  readonly permits: number
  readonly token: number
}

/** What an owner does inside. */
interface Stay {
  /** Gives back all but so many first. */
  readonly lowersTo?: number
  /** Leaves only when these have got in, too. */
  readonly until?: readonly string[]
}

/** An owner that wants to get in once, and then leaves. */
interface Wish {
  readonly client: number
  readonly permits: number
  readonly stay: Stay
  readonly endedBefore: readonly Claim[]
}

/** Clients of one object in one store, whose requests and replies come in a chosen order; all is checked after each. */
export class Explored {
  readonly problems: string[] = []
  readonly queue: { readonly name: string; readonly object: ObjectType }
  readonly #setup: Setup
  readonly #queues = new MemoryQueues()
  readonly #scheduler = new Scheduler(() => this.#check())
  readonly #sessions: EngineSession[] = []
  readonly #stores: ScheduledStore[] = []
  readonly #wishes = new Map<string, Wish>()
  readonly #waiting = new Set<string>()
  readonly #claims = new Map<string, Claim>()
  readonly #ended: Claim[] = []
  readonly #staying = new Map<string, readonly string[]>()
  readonly #script = this.#scheduler.line()
  #resizing = Promise.resolve()
  #nowMs = 0

  private constructor(setup: Setup) {
    this.#setup = setup
    this.queue = { name: 'explored', object: setup.object }
  }

  static open(setup: Setup, clientCount: number): Explored {
    const explored = new Explored(setup)
    for (let n = 0; n < clientCount; n += 1) explored.#open(n)
    return explored
  }

  /** To happen in this order, each some time after the one before. */
  then(step: () => void): this {
    this.#script.add(step)
    return this
  }

  /** An owner wants in, and leaves some time after it got in. */
  wants(client: number, owner: string, permits = 1, stay: Stay = {}): this {
    return this.then(() => {
      this.#wishes.set(owner, { client, permits, stay, endedBefore: [...this.#ended] })
      this.#waiting.add(owner)
      this.#request(owner)
    })
  }

  /** Begins when the resize before is acknowledged. */
  resizes(client: number, size: number, keepMs = leaseMs): this {
    return this.#afterResizes(() => this.#resize(client, size, keepMs, `${client} to ${size}`, 0))
  }

  /** Time passes, and all clients look, as they do by a timer at the end of a resize. */
  passes(ms: number): this {
    return this.#afterResizes(async () => {
      this.#nowMs += ms
      await Promise.all(
        this.#sessions.map((_, client) => {
          const { steps, address } = this.#at(client)
          return steps.inspect(address, 0)
        }),
      )
    })
  }

  /** The store ends the session of a client, which claims nothing any more by then. */
  endsSession(client: number): this {
    return this.then(() => {
      for (const claim of [...this.#claims.values()]) if (claim.client === client) this.#lose(claim)
      this.#stores[client]?.end()
    })
  }

  /** Runs all of it, until everyone got in and left. */
  async run(choose: Choose): Promise<void> {
    await this.#scheduler.run(choose)
    for (const owner of this.#waiting) this.problems.push(`${owner} waits for ever`)
    const { entries } = this.#queues.list(this.queue)
    for (const { owner } of entries) this.problems.push(`an entry of ${owner} is left`)
    await Promise.all(this.#sessions.map((session) => session.close()))
  }

  #afterResizes(step: () => Promise<void>): this {
    return this.then(() => {
      this.#resizing = this.#resizing.then(step)
      this.#resizing.catch((error: unknown) => this.problems.push(String(error)))
    })
  }

  #open(client: number): void {
    const ignore = (): void => undefined
    const again = (): void => {
      for (const owner of this.#waiting) if (this.#wishes.get(owner)?.client === client) this.#request(owner)
    }
    const host: EngineHost = {
      clientId: `c${client}`,
      client: { host: 'localhost', pid: 1, label: '', startedAt: new Date(0) },
      watchdogTimeoutMs: leaseMs,
      renewEveryMs: leaseMs,
      commandTimeoutMs: stepMs,
      now: () => this.#nowMs,
      granted: (_, owner, { token }) => this.#claim(owner, token),
      wake: (_, owner) => owner !== undefined && this.#waiting.has(owner) && this.#request(owner),
      broken: again,
      missed: again,
      ...{ revoked: ignore, opened: ignore, onMessage: ignore, unsubscribed: ignore },
      ...{ reconnected: ignore, warn: ignore, error: ignore },
    }
    const engine = this.#setup.make({
      name: 'explored',
      traits: queueTraits,
      open: (_, events) => {
        const store = new ScheduledStore(this.#queues, this.#scheduler, this.#setup.isOrdered, events)
        this.#stores.push(store)
        return store
      },
    })
    this.#sessions.push(engine.open(host))
  }

  #request(owner: string): void {
    const wish = this.#wishes.get(owner)
    if (!wish) return
    const { steps, address } = this.#at(wish.client)
    const size = this.#setup.object === 'lock' ? {} : { size: this.#setup.size }
    const request = {
      ...{ owner, count: wish.permits, ...size, leaseMs, grantLeaseMs: leaseMs },
      ...{ entryTtlMs: leaseMs, proof: 'p', wantsToken: true },
    }
    steps.acquire(address, request, stepMs).then(
      (reply: AcquireReply) => reply.kind === 'held' && this.#claim(owner, reply.token),
      () => this.#waiting.has(owner) && this.#request(owner),
    )
  }

  #claim(owner: string, token: number): void {
    const wish = this.#wishes.get(owner)
    // It was granted in a session that is over: by its deadline it is not claimed.
    if (!wish || this.#stores[wish.client]?.isCutOff || !this.#waiting.delete(owner)) return
    const { client, permits, stay, endedBefore } = wish
    const claim = { client, owner, permits, token }
    const largest = this.#setup.largest ?? this.#setup.size
    const others = [...this.#claims.values()].reduce((sum, each) => sum + each.permits, 0)
    if (others + permits > largest) this.problems.push(`${owner} is in beside too many`)
    const excluded = this.#ended.filter((each) => each.permits + permits > largest)
    const before = Math.max(0, ...[...excluded, ...endedBefore].map((each) => each.token))
    if (token <= before) this.problems.push(`${owner} has the token ${token}, after ${before}`)
    this.#claims.set(owner, claim)
    const { lowersTo } = stay
    if (lowersTo !== undefined) this.#scheduler.line().add(() => this.#release(claim, lowersTo))
    this.#staying.set(owner, stay.until ?? [])
    this.#letLeave()
  }

  /** Those leave, some time later, that wait for nobody any more. */
  #letLeave(): void {
    for (const [owner, others] of this.#staying) {
      const claim = this.#claims.get(owner)
      const isAlone = others.some((other) => !this.#wishes.has(other) || this.#waiting.has(other))
      if (!claim || isAlone) continue
      this.#staying.delete(owner)
      this.#scheduler.line().add(() => this.#release(claim, 0))
    }
  }

  #release(claim: Claim, count: number): void {
    const { client, owner } = claim
    if (!this.#claims.has(owner)) return
    if (count > 0) this.#claims.set(owner, { ...claim, permits: count })
    else this.#lose(claim)
    const { steps, address } = this.#at(client)
    steps.release(address, { owner, count, tombstoneMs: 0 }, stepMs).catch(() => undefined)
  }

  #lose(claim: Claim): void {
    if (this.#claims.delete(claim.owner)) this.#ended.push(claim)
  }

  async #resize(client: number, size: number, keepMs: number, id: string, version: number): Promise<void> {
    const { steps, address } = this.#at(client)
    const reply = await steps.resize?.(address, { size, keepMs, version, id }, stepMs)
    if (reply?.kind === 'superseded') await this.#resize(client, size, keepMs, id, reply.version)
  }

  #at(client: number) {
    const session = this.#sessions[client]
    if (!session) throw new Error(`no client ${client}`)
    return { steps: session.steps, address: session.names.locate(this.queue.name, this.queue.object) }
  }

  /** Whoever claims a hold has it in the eyes of all others. */
  #check(): void {
    const holders = new Set(standingOf(this.#queues.list(this.queue)).holders.map(({ owner }) => owner))
    for (const { owner } of this.#claims.values()) {
      if (!holders.has(owner)) this.problems.push(`${owner} claims a hold that the store does not know`)
    }
  }
}
