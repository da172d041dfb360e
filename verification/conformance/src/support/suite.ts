import type { ClientOptions, Holdfast, Lock, LockInfo } from '@holdfast/core'
import type { Traits } from '@holdfast/core/engine'
import type { EngineUnderTest, Hook, Link } from '../engine-under-test.js'
import { expect } from '../expect/expect.js'
import type { TestRunner } from '../runner.js'
import { RemoteClient, type Subject } from './remote-client.js'
import { timesFor, type Times } from './times.js'
import { hungMs, uniqueName, until } from './until.js'

/** A client, and its handle on the lock of the running scenario. */
export interface Client {
  readonly holdfast: Holdfast
  readonly lock: Lock
}

/** When an engine has to pass a scenario. */
export interface Terms {
  /** Hooks without which it is skipped. */
  readonly needs?: readonly Hook[]
  /** Why the store cannot be brought into that situation at all: it is skipped then. */
  readonly whyImpossible?: string | undefined
  /** Whether the engine's traits promise it. True by default. */
  readonly isPromised?: boolean
  /** What has to hold where they do not. */
  readonly otherwise?: { readonly title: string; readonly run: () => Promise<void> }
}

/** With what else a scenario allows, less than the default lease of 30 s. */
const patienceMs = 14_000

/** One run of the suite: defines scenarios, opens what they use, and closes it after each of them. */
export class Suite {
  readonly engine: EngineUnderTest
  readonly times: Times
  /** Whether waiters stand in a queue at the store. Where they poll, only their clients know of them. */
  readonly hasQueue: boolean
  /** Whether holds also end with their client's session. */
  readonly hasSessions: boolean
  #lockName = ''
  #observed: Lock | undefined
  #alive: NodeJS.Timeout | undefined
  readonly #ends: (() => Promise<unknown>)[] = []
  readonly #waiters: (() => number | Promise<number>)[] = []

  readonly #runner: TestRunner
  readonly #subject: Subject

  /** @param subject - what scenarios take for their lock */
  constructor(engine: EngineUnderTest, runner: TestRunner, subject: Subject = 'lock') {
    this.engine = engine
    this.#runner = runner
    this.#subject = subject
    this.times = timesFor(engine.traits, this.isExact)
    this.hasSessions = engine.traits.lease.of === 'session'
    const { handOff } = engine.traits
    this.hasQueue = typeof handOff === 'string' || handOff.queued === true
  }

  /** Whether the store counts how often an owner has entered. */
  get countsEntries(): boolean {
    return this.#subject === 'lock'
  }

  /** Whether a release can keep the lock for its least time. Of a read/write lock none can. */
  get keeps(): boolean {
    return this.#subject === 'lock' && this.engine.traits.lease.keeps === true
  }

  get tripsPerStep(): number {
    return this.engine.tripsPerStep ?? 1
  }

  /** Whether durations may be asserted: on a real machine only order and outcome are certain. */
  get isExact(): boolean {
    return this.engine.isExact ?? false
  }

  get traits(): Traits {
    return this.engine.traits
  }

  /** In virtual time it took less. On a real machine, which may be busy, it did not take as much longer as leases last. */
  expectInTime(tookMs: number, limitMs: number): void {
    expect(tookMs).toBeLessThan(this.isExact ? limitMs : limitMs + patienceMs)
  }

  /** The name of the running scenario's lock. */
  get lockName(): string {
    return this.#lockName
  }

  /** Defines a part of the table, with its scenarios. */
  part(title: string, define: () => void): void {
    this.#runner.describe(title, define)
  }

  /** Defines a scenario: a sentence about behaviour. */
  scenario(title: string, run: () => Promise<void>, terms: Terms = {}): void {
    const { needs = [], isPromised = true, otherwise } = terms
    const { it } = this.#runner
    const missing = needs.find((hook) => this.engine[hook] === undefined)
    const whyNot = missing ? `the engine under test offers no ${missing}` : terms.whyImpossible
    // Skipped, not left out: results list it with the reason, and the table shows a dash.
    const define = (full: string, test: () => Promise<void>): unknown =>
      whyNot === undefined ? it(full, test) : it.skip(`${full} (skipped: ${whyNot})`, test)
    if (isPromised) define(title, run)
    else if (otherwise) define(`${title} – not promised: ${otherwise.title}`, otherwise.run)
  }

  /** What defines scenarios that are all on these terms. */
  scenarios(terms?: Terms): (title: string, run: () => Promise<void>) => void {
    return (title, run) => this.scenario(title, run, terms)
  }

  begin(): void {
    this.#lockName = uniqueName('conformance')
    // The runner of Node.js gives up when only timers are left that keep no process alive, as those of clients do not.
    this.#alive = setInterval(() => undefined, 60_000)
  }

  /** Closes what the scenario opened, all at once. */
  async end(): Promise<void> {
    this.#observed = undefined
    this.#waiters.length = 0
    try {
      await Promise.all(this.#ends.splice(0).map((end) => end()))
    } finally {
      clearInterval(this.#alive)
    }
  }

  endAfterScenario(end: () => Promise<unknown>): void {
    this.#ends.push(end)
  }

  /** A client that has not sent anything yet. */
  openUnused(options: ClientOptions = {}): Client {
    const holdfast = this.engine.open(options)
    this.#waiters.push(() => holdfast.stats().waiters)
    this.endAfterScenario(() => holdfast.close())
    return { holdfast, lock: this.#lockOf(holdfast, this.#lockName) }
  }

  /** A client that has done its first-use checks. */
  async open(options: ClientOptions = {}): Promise<Client> {
    const client = this.openUnused(options)
    await this.#useOnce(client)
    return client
  }

  /** The same, with a link that can be broken. */
  async openLinked(options: ClientOptions = {}): Promise<Client & { readonly link: Link }> {
    const linked = await this.engine.openLinked?.(options)
    if (!linked) throw new Error(`${this.engine.name} offers no openLinked`)
    const { holdfast, link } = linked
    this.#waiters.push(() => holdfast.stats().waiters)
    this.endAfterScenario(async () => {
      link.heal()
      await holdfast.close()
      await link.close()
    })
    const client = { holdfast, lock: this.#lockOf(holdfast, this.#lockName) }
    await this.#useOnce(client)
    return { ...client, link }
  }

  /** So many of them, five at a time: to connect more at once may take longer than a short lease or time limit. */
  async openManyLinked(count: number, options: ClientOptions): Promise<(Client & { readonly link: Link })[]> {
    const clients: (Client & { readonly link: Link })[] = []
    while (clients.length < count) {
      const few = Array.from({ length: Math.min(5, count - clients.length) }, () => this.openLinked(options))
      clients.push(...(await Promise.all(few)))
    }
    return clients
  }

  /**
   * A client in another process, ready for use.
   *
   * @param subject - what it takes for a lock, if not what the scenario does
   */
  async fork(options: ClientOptions = {}, subject = this.#subject): Promise<RemoteClient> {
    const { otherProcess } = this.engine
    if (!otherProcess) throw new Error(`${this.engine.name} offers no otherProcess`)
    const remote = await RemoteClient.fork(otherProcess, options, subject)
    this.#waiters.push(() => remote.waiters())
    this.endAfterScenario(() => remote.kill())
    return remote
  }

  /** What the store knows of the scenario's lock, through a client that does nothing else. */
  async inspect(): Promise<LockInfo> {
    this.#observed ??= this.openUnused().lock
    return this.#observed.inspect()
  }

  /** The hold count that the store knows; 0 when the lock is free. */
  async count(): Promise<number> {
    return (await this.inspect()).holder?.holdCount ?? 0
  }

  /** The owners that wait, as the store lists them. */
  async queue(): Promise<string[]> {
    return (await this.inspect()).waiters.map(({ owner }) => owner)
  }

  /** Resolves when that many wait for the scenario's lock: in the store's queue, or else as far as their clients know. */
  async untilQueued(count: number, timeoutMs = hungMs): Promise<void> {
    let seen = 0
    await until(async () => (seen = await this.#waiterCount()) === count, {
      what: () => `${count} waiters, there are ${seen}`,
      timeoutMs,
    })
  }

  /** Resolves at once where a step is one round trip: what was to be withdrawn is gone by then. Else as soon as that is so. */
  async untilWithdrawn(isGone: () => Promise<boolean>): Promise<void> {
    if (this.tripsPerStep > 1) await until(isGone, { timeoutMs: this.times.promptMs })
  }

  /** Resolves when the lock is free and has no waiters. */
  async untilUnused(timeoutMs = hungMs): Promise<void> {
    const isUnused = async (): Promise<boolean> => {
      const { isLocked, waiterCount } = await this.inspect()
      return !isLocked && waiterCount === 0
    }
    await until(isUnused, { what: 'the lock to be free, with an empty queue', timeoutMs })
  }

  #lockOf(holdfast: Holdfast, name: string): Lock {
    return this.#subject === 'lock' ? holdfast.getLock(name) : holdfast.getReadWriteLock(name).write
  }

  async #useOnce({ holdfast, lock }: Client): Promise<void> {
    await this.#lockOf(holdfast, uniqueName('first-use')).withLock(() => undefined)
    // A client may connect to the server of a lock when it first needs that one. With a scenario's short limits that may fail.
    const reaches = (): Promise<boolean> => lock.isLocked().then(() => true)
    await until(reaches, { what: 'the client to reach the store', timeoutMs: 30_000 })
  }

  async #waiterCount(): Promise<number> {
    if (this.hasQueue) return (await this.inspect()).waiterCount
    const counts = await Promise.all(this.#waiters.map(async (count) => count()))
    return counts.reduce((sum, count) => sum + count, 0)
  }
}
