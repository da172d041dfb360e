import { HoldfastQuorum, type Holdfast } from '@holdfast/core'
import { nowMs, type HistoryEvent } from '@holdfast/testkit/process'
import { setTimeout as sleep } from 'node:timers/promises'
import { CallsByOwner } from './calls-by-owner.js'
import { Holder } from './holder.js'
import { LatchCalls } from './latch-calls.js'
import { LockCalls, type Ticket } from './lock-calls.js'
import { MultiCalls } from './multi-calls.js'
import type { ChaosClient } from './open-clients.js'
import { semaphoreSize, type ObjectName } from './objects.js'
import { pickCyclic } from './pick-cyclic.js'
import { RecordedCall } from './recorded-call.js'
import type { PlannedCall, PlannedResize, PlannedTaker } from './schedule.js'
import { SemaphoreCalls } from './semaphore-calls.js'

/** One client, and the calls that were made through it. */
interface ClientCalls {
  readonly client: ChaosClient
  readonly calls: CallsByOwner<RecordedCall>
}

/** What one process does in a schedule. */
export interface ProcessPlan {
  readonly calls: readonly PlannedCall[]
  readonly resizes: readonly PlannedResize[]
}

/** Makes the planned calls of one process and records what happens to each. */
export class CallRunner {
  readonly #process: string
  readonly #write: (event: HistoryEvent) => void
  readonly #clients: readonly ClientCalls[]
  readonly #holder: Holder
  readonly #lockCalls: LockCalls
  readonly #semaphoreCalls: SemaphoreCalls
  readonly #latchCalls = new LatchCalls()
  readonly #multiCalls: MultiCalls
  readonly #object: ObjectName
  /** Calls that take over what this process has handed over. */
  readonly #taking: Promise<void>[] = []
  #calls = 0

  /**
   * The n-th lock is reached through the n-th of the clients, modulo their number.
   *
   * @param give - brings tickets to those who take over; without it all of them are calls of this process
   */
  constructor(
    process: string,
    object: ObjectName,
    clients: readonly ChaosClient[],
    write: (event: HistoryEvent) => void,
    give?: (ticket: Ticket) => void,
  ) {
    this.#process = process
    this.#object = object
    this.#write = write
    this.#holder = new Holder(process, write)
    this.#lockCalls = new LockCalls(
      this.#holder,
      (name) => this.#newCall(name),
      give ?? ((ticket) => this.#keep(ticket)),
    )
    this.#semaphoreCalls = new SemaphoreCalls(this.#holder)
    this.#multiCalls = new MultiCalls(this.#holder, this.#lockCalls)
    this.#clients = clients.map((client) => ({ client, calls: new CallsByOwner() }))
    for (const each of this.#clients) this.#watch(each)
  }

  /** Records what this client reports. */
  #watch({ client, calls }: ClientCalls): void {
    client.on('waiting', ({ name: lock, owner, position }) => {
      // A multi lock draws several owners.
      if (this.#object !== 'multi-lock') calls.find(owner)?.waiting(owner)
      // The queue of a quorum lock is that of one master, and so in no strict order.
      if (position > 0 && this.#object !== 'quorum')
        this.#write({ kind: 'queued', atMs: nowMs(), process: this.#process, lock, owner })
    })
    this.#holder.watch(client)
    if (this.#object === 'multi-lock') this.#multiCalls.watch(client)
  }

  async run({ calls, resizes }: ProcessPlan, locks: readonly string[], startAtMs: number): Promise<void> {
    await Promise.all([
      ...calls.map(async (plan) => {
        await sleep(Math.max(0, startAtMs + plan.startMs - nowMs()))
        if (plan.together === undefined) await this.#make(locks, plan)
        else await this.#makeTogether(locks, plan)
      }),
      ...resizes.map(async (plan) => {
        const { client, name } = this.#reach(locks, plan.lock)
        const semaphore = this.#single(client).getSemaphore(name, { permits: semaphoreSize })
        await this.#semaphoreCalls.resize(semaphore, this.#newCall(name), plan, startAtMs)
      }),
    ])
    await Promise.all(this.#taking)
  }

  /** Takes over what was handed over by that ticket. */
  async takeOver({ lock: name, by, ticket }: Ticket, taker: PlannedTaker): Promise<void> {
    const { client, calls } = this.#reach([name], 0)
    const call = this.#newCall(name)
    calls.add(call)
    await this.#lockCalls.takeOver(client.getLock(name), call, { by, ticket }, taker)
  }

  #keep(ticket: Ticket): void {
    for (const taker of ticket.takers)
      this.#taking.push(sleep(taker.afterMs).then(() => this.takeOver(ticket, taker)))
  }

  #make(locks: readonly string[], plan: PlannedCall): Promise<void> {
    const { client, calls, name } = this.#reach(locks, plan.lock)
    const call = this.#newCall(name)
    calls.add(call)
    switch (this.#object) {
      case 'lock':
      case 'hand-over':
      case 'multi-lock': {
        const lock = client.getLock(name)
        return this.#lockCalls.make(client, { read: lock, write: lock }, call, plan)
      }
      case 'quorum': {
        const lock = client.getFencedLock(name)
        return this.#lockCalls.make(client, { read: lock, write: lock }, call, plan)
      }
      case 'read-write-lock':
        return this.#lockCalls.make(client, this.#single(client).getReadWriteLock(name), call, plan)
      case 'semaphore': {
        const semaphore = this.#single(client).getSemaphore(name, { permits: semaphoreSize })
        return this.#semaphoreCalls.make(semaphore, call, plan)
      }
      case 'latch':
        return this.#latchCalls.make(this.#single(client).getCountDownLatch(name), call, plan)
    }
  }

  #makeTogether(names: readonly string[], plan: PlannedCall): Promise<void> {
    const locks = names.map((_, n) => {
      const { client, name } = this.#reach(names, n)
      return this.#single(client).getLock(name)
    })
    const calls = locks.map(({ name }) => this.#newCall(name))
    const { client } = this.#reach(names, plan.lock)
    const multi = this.#single(client).getMultiLock(
      plan.together === 'reversed' ? [...locks].reverse() : locks,
    )
    return this.#multiCalls.make(multi, locks, calls, plan, `${this.#process}.together${this.#calls}`)
  }

  #reach(locks: readonly string[], lock: number): ClientCalls & { readonly name: string } {
    const n = lock % locks.length
    return { ...pickCyclic(this.#clients, n), name: pickCyclic(locks, n) }
  }

  #single(client: ChaosClient): Holdfast {
    if (client instanceof HoldfastQuorum) throw new Error(`a quorum has no ${this.#object}`)
    return client
  }

  #newCall(name: string): RecordedCall {
    return new RecordedCall(this.#process, ++this.#calls, name, this.#write)
  }
}
