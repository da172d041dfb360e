import {
  lockCount,
  processCount,
  sizeOf,
  verdictOn,
  type ObjectName,
  type Schedule,
  type Verdict,
} from '@holdfast/chaos'
import type { Ticket } from '@holdfast/chaos/process'
import type { Excuse, HistoryEvent } from '@holdfast/testkit'
import type { Copies } from './bundle.js'
import { SimProcess, startServer, type SimServer } from './cast.js'
import type { FaultKind } from './fault-kind.js'
import { faultKind, type SimFault, type SimFaultPlan } from './faults.js'
import { limitsFor } from './limits.js'
import type { EngineName } from './program/stores.js'
import type { ScriptRun } from './redis/server.js'
import { forgetContexts } from './storage.js'
import { World } from './world.js'

/** What is tried, and on what. */
export interface Setting {
  readonly object: ObjectName
  readonly engine: EngineName
  /** How many stores there are; several for a quorum. */
  readonly servers: number
  /** Is told of each script that a server of Redis runs. */
  readonly onRun?: (run: ScriptRun) => void
}

export type SimSchedule = Schedule<SimFault>

export interface Played extends Verdict {
  readonly steps: number
  readonly simulatedMs: number
}

/** Plays a schedule. The same seed has all take the same course. */
export async function play(
  copies: Copies,
  setting: Setting,
  schedule: SimSchedule,
  seed: number,
): Promise<Played> {
  const world = new World(seed)
  const run = new Play(world, copies, setting)
  try {
    await run.play(schedule)
  } catch (error) {
    run.failures.push(error instanceof Error ? error.message : String(error))
  } finally {
    forgetContexts()
    copies.giveBack()
  }
  const { history, failures } = run
  const verdict = verdictOn({ history, failures }, limitsFor(setting.engine, run.rates))
  return { ...verdict, steps: world.steps, simulatedMs: world.nowMs }
}

/** By then a hold has been renewed several times. */
const renewedMs = 1_000

/** Longer than a lease, and than clients take to connect again. */
const settledMs = 2_500

/** Nothing is in the way of a call at rest, which may have to connect again first. */
const freeWithinMs = 1_500

class Play {
  readonly failures: string[] = []
  readonly #world: World
  readonly #copies: Copies
  readonly #setting: Setting
  readonly #events: HistoryEvent[] = []
  readonly #servers: readonly SimServer[]
  readonly #processes: SimProcess[] = []
  readonly #locks = Array.from({ length: lockCount }, (_, n) => `lock-${n + 1}`)
  /** Those that were connected when all began. */
  readonly #warm: SimProcess[] = []
  /** Who sees everything, and whom nothing hits. */
  readonly #operator: SimProcess
  #faultsLeft = 0
  #wasServerHit = false

  constructor(world: World, copies: Copies, setting: Setting) {
    this.#world = world
    this.#copies = copies
    this.#setting = setting
    const { engine, servers, onRun } = setting
    this.#servers = Array.from({ length: servers }, (_, n) =>
      startServer(world, copies, engine, n, servers, onRun),
    )
    this.#operator = new SimProcess(world, copies, this.#servers, 'operator')
  }

  get history(): readonly HistoryEvent[] {
    return [...this.#events].sort((a, b) => a.atMs - b.atMs)
  }

  /** How fast the clocks of the processes go. */
  get rates(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#processes.map(({ name, realm }) => [name, realm.rate]))
  }

  async play({ calls, faults, resizes = [] }: SimSchedule): Promise<void> {
    for (let n = 0; n < processCount; n += 1) this.#start(`P${n + 1}`)
    await this.#warmUp()
    this.#recordSizes()
    const startAtMs = this.#world.nowMs + 20
    for (const [n, process] of this.#processes.entries()) {
      const own = resizes.filter((each) => each.process % processCount === n)
      this.#makeCalls(process, { calls: calls[n] ?? [], resizes: own }, startAtMs)
    }
    this.#faultsLeft = faults.length
    for (const [n, plan] of faults.entries()) {
      this.#world.after(startAtMs - this.#world.nowMs + plan.atMs, () =>
        this.#inject(plan, n, startAtMs, calls),
      )
    }
    await this.#world.until(
      () => this.#faultsLeft === 0 && this.#processes.every(({ isFinished }) => isFinished),
      'all calls to be settled',
    )
    // Sessions that the last fault has ended are replaced by then.
    await this.#world.pass(settledMs)
    this.#findOwners('though all calls are settled')
    await this.#compareCounts()
    await this.#findUnsubscribed()
    await this.#close()
    await this.#findLeftovers()
  }

  #start(name: string): SimProcess {
    const process = new SimProcess(this.#world, this.#copies, this.#servers, name)
    this.#processes.push(process)
    return process
  }

  get #alive(): SimProcess[] {
    return this.#processes.filter(({ realm }) => !realm.isDead)
  }

  /** To begin a session takes a good part of a schedule. */
  async #warmUp(): Promise<void> {
    await this.#all(this.#processes, 'clients to connect', async (process) => {
      const { client, name } = process
      if (!('getReadWriteLock' in client)) return
      await client.getLock(`warm-up of ${name}`).withLock(() => undefined)
      this.#warm.push(process)
    })
  }

  #recordSizes(): void {
    const size = sizeOf[this.#setting.object]
    const { nowMs: atMs } = this.#world
    if (size !== undefined)
      this.#events.push(...this.#locks.map((lock) => ({ kind: 'sized' as const, atMs, lock, size })))
  }

  #makeCalls(process: SimProcess, plan: Parameters<SimProcess['call']>[1], startAtMs: number): void {
    const write = (event: HistoryEvent): void => void this.#events.push(event)
    const give = (ticket: Ticket): void => this.#give(process, ticket)
    process
      .run(() => process.call(this.#setting.object, plan, this.#locks, startAtMs, write, give))
      .catch((error: unknown) => this.failures.push(`${process.name}: ${String(error)}`))
  }

  /** Brings a ticket to those who take over by it. */
  #give(from: SimProcess, ticket: Ticket): void {
    const n = this.#processes.indexOf(from)
    for (const taker of ticket.takers)
      this.#processes[(n + taker.process) % processCount]?.take(ticket, taker)
  }

  /**
   * One store of several excuses nothing. A second one may cost a majority: a token that one had drawn by a clock ahead of the
   * others is gone with what another had of it, as none of them sits out a quarantine here.
   */
  #excusesOf({ excuses = [], hitsServer }: FaultKind): readonly Excuse[] {
    if (this.#servers.length === 1 || !hitsServer) return excuses
    if (!this.#wasServerHit) return []
    return excuses.includes('exclusion') ? [...excuses, 'tokens'] : excuses
  }

  #inject(plan: SimFaultPlan, n: number, startAtMs: number, calls: SimSchedule['calls']): void {
    const process = this.#processes[plan.target % processCount]
    const server = this.#servers[plan.target % this.#servers.length]
    const link = process?.links[plan.target % this.#servers.length]
    const kind = faultKind(plan.name)
    if (!process || !server || !link || process.realm.isDead) {
      this.#faultsLeft -= 1
      return
    }
    const id = `fault-${n + 1}`
    const forMs = plan.forMs + (kind.longerMs ?? 0)
    const disturbs = { none: [], target: [process.name], all: 'all' } as const
    const excuses = this.#excusesOf(kind)
    if (kind.hitsServer || kind.movesClock) this.#wasServerHit = true
    this.#events.push({
      kind: 'fault',
      atMs: this.#world.nowMs,
      id,
      fault: plan.name,
      disturbs: disturbs[kind.disturbs],
      excuses,
      locks: 'all',
    })
    const heal = kind.inject({
      process,
      server,
      link,
      links: this.#alive.flatMap(({ links }) => links[plan.target % this.#servers.length] ?? []),
      forMs,
      kill: (goesOn) =>
        this.#kill(process, goesOn ? calls[plan.target % processCount] : undefined, startAtMs),
      evict: () => this.#evict(plan.target),
    })
    const healed = (): void => {
      heal?.()
      this.#events.push({ kind: 'healed', atMs: this.#world.nowMs, id })
      this.#faultsLeft -= 1
    }
    if (heal) this.#world.after(forMs, healed)
    else healed()
  }

  /** @param calls - what another process goes on with */
  #kill(process: SimProcess, calls: SimSchedule['calls'][number] | undefined, startAtMs: number): void {
    process.kill()
    const { nowMs: atMs } = this.#world
    this.#events.push({ kind: 'killed', atMs, process: process.name })
    if (!calls) return
    const next = this.#start(`${process.name}b`)
    const left = calls.filter(({ startMs }) => startAtMs + startMs > atMs)
    this.#makeCalls(next, { calls: left, resizes: [] }, startAtMs)
  }

  #evict(target: number): void {
    const { program, client } = this.#operator
    const lock = this.#locks[target % lockCount] ?? ''
    const done = (): void => {
      this.#faultsLeft -= 1
    }
    this.#faultsLeft += 1
    const evict = () => this.#operator.run(() => program.evict(client, this.#setting.object, lock))
    evict().catch(evict).then(done, done)
  }

  /** Has one process hold each lock at rest, and asks how the store counts that. */
  async #compareCounts(): Promise<void> {
    const { object } = this.#setting
    const holders = this.#alive.slice(0, lockCount)
    await this.#all(holders, 'a hold of each lock at rest', async ({ client, name, program }) => {
      const n = holders.findIndex((each) => each.client === client)
      const lock = this.#locks[n] ?? ''
      const { nowMs: askedAtMs } = this.#world
      const hold = await program.holdAtRest(client, object, lock, n + 2)
      const { nowMs: heldAtMs } = this.#world
      if (heldAtMs - askedAtMs > freeWithinMs)
        this.#events.push({ kind: 'leftover', atMs: heldAtMs, lock, what: 'what was in the way at rest' })
      if (!hold) return
      const { program: asked, client: asking } = this.#operator
      const ask = () => this.#operator.run(() => asked.countsOf(asking, object, lock))
      // Until it writes, its connection may be at a replica, which is late.
      if (this.#setting.engine === 'redis') {
        const hold = () => asked.holdAtRest(asking, object, `${name} asks`, 2)
        await this.#operator.run(async () => (await hold())?.leave())
      }
      // The first question finds that the session is over, which nothing has kept alive.
      const counts = await ask().catch(ask)
      const { nowMs: atMs } = this.#world
      for (const owner of new Set([hold.owner, ...counts.keys()])) {
        const atClient = owner === hold.owner ? hold.atClient : 0
        const atServer = counts.get(owner) ?? 0
        this.#events.push({ kind: 'counted', atMs, lock, owner, atClient, atServer })
      }
      await hold.leave()
    })
  }

  async #close(): Promise<void> {
    const all = [...this.#alive, this.#operator]
    await this.#all(all, 'all clients to close', ({ client }) => client.close())
    this.#findOwners('though all clients have closed')
    await this.#world.pass(1_000)
    for (const { name, realm } of all)
      if (realm.timers > 0) this.failures.push(`${name} left ${realm.timers} timers`)
  }

  /** A client that holds something for a while is told of what it waits for by then, wherever its connections were. */
  async #findUnsubscribed(): Promise<void> {
    const [server] = this.#servers
    const used = this.#warm.filter(({ realm }) => !realm.isDead)
    if (!server?.isSubscribed) return
    await this.#all(used, 'each client to hold something', async ({ client, name, realm }) => {
      const lease = await client.getLock(`warm-up of ${name}`).lock()
      await new Promise<void>((resolve) => this.#world.after(renewedMs, () => realm.post(resolve)))
      const { nowMs: atMs } = this.#world
      if (server.isSubscribed?.(client.clientId) === false)
        this.#events.push({ kind: 'leftover', atMs, lock: '', what: `${name}, which no notice reaches` })
      await lease.unlock()
    })
  }

  /** Nobody holds or waits at a store any more. */
  #findOwners(why: string): void {
    const { nowMs: atMs } = this.#world
    for (const owner of this.#servers.flatMap(({ store }) => store.owners()))
      this.#events.push({ kind: 'leftover', atMs, lock: '', what: `${owner}, ${why}` })
  }

  /** By then all leases, entries and marks of owners have run out, and latches, which live for a day. */
  async #findLeftovers(): Promise<void> {
    await this.#world.pass(3 * 86_400_000)
    const { nowMs: atMs } = this.#world
    for (const { store } of this.#servers)
      for (const what of store.leftovers()) this.#events.push({ kind: 'leftover', atMs, lock: '', what })
  }

  /** Has all of them do something, and waits for it. */
  async #all(
    processes: readonly SimProcess[],
    what: string,
    act: (process: SimProcess) => Promise<unknown>,
  ): Promise<void> {
    let left = processes.length
    for (const process of processes) {
      process
        .run(() => act(process))
        .catch((error: unknown) => this.failures.push(`${process.name}: ${String(error)}`))
        .finally(() => {
          left -= 1
        })
    }
    await this.#world.until(() => left === 0, what)
  }
}
