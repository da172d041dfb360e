import {
  InvalidArgumentError,
  shown,
  type EngineHost,
  type EngineSession,
  type LockEngine,
  type ObjectType,
  type Traits,
} from '@holdfast/core/engine'
import { addressOf } from '../documents/index.js'
import { Backend } from './backend.js'
import { reportWhatEnded } from './due.js'
import { leaksOf, type Leak } from './leaks.js'
import { MemorySession } from './session.js'

const traits: Traits = {
  kinds: ['shared', 'latch'],
  fifo: true,
  handOff: 'grant',
  // No margin: leases here and deadlines in the clients are measured on one clock.
  lease: { stepMs: 1, shortestMs: 1, marginMs: 0, keeps: true, handsOver: true },
  fencing: 'while data lives',
  survives: 'nothing',
  force: 'notified',
  operator: true,
  commandsPerCycle: { uncontended: 2, contended: 2 },
}

/**
 * A store in the memory of this process, and the controls that a test has over it. All clients that are given the same
 * store share its locks.
 *
 * Time in it is that of the process, fake timers included.
 */
export class MemoryStore implements LockEngine {
  /** `memory` */
  readonly name = 'memory'
  /** What this engine promises. */
  readonly traits = traits
  readonly #backend = new Backend()

  /** How many steps were carried out: one for each command that an engine with a server would have sent there. */
  get commands(): number {
    return this.#backend.commands
  }

  /** Opens a session for one client; `new Holdfast({ engine })` does. */
  open(host: EngineHost): EngineSession {
    const session = new MemorySession(host, this.#backend)
    this.#backend.sessions.set(host.clientId, session)
    return session
  }

  /**
   * Advances the store's clock, for tests without fake timers. No client does anything in that time, as if their machines
   * had been frozen: holds that are due end although their clients live. These clients then check their holds, and
   * waiters check their state.
   *
   * @param ms - milliseconds, at least 0
   * @throws `InvalidArgumentError` for anything else
   */
  advance(ms: number): void {
    const given: unknown = ms
    if (typeof given !== 'number' || !(given >= 0 && given < Infinity)) {
      throw new InvalidArgumentError(`ms must be a finite number of at least 0, got ${shown(given)}`)
    }
    this.#backend.clock.advance(ms)
    reportWhatEnded(this.#backend)
  }

  /**
   * Ends the hold of a lock, as if its lease had expired in the store, or all holds of another object. Clients then check
   * their holds, and waiters check their state. Nothing happens when nobody holds it.
   *
   * @param name - as given to `getLock`, `getSemaphore` and so on
   * @param object - what has that name
   */
  expire(name: string, object: ObjectType = 'lock'): void {
    const { locks, shared, clock } = this.#backend
    const nowUs = clock.nowUs()
    const { id } = addressOf(name, object)
    if (object === 'lock') {
      locks.run(id, nowUs, ({ hold }) => {
        if (hold) hold.untilUs = nowUs
      })
    } else {
      shared.run(id, nowUs, ({ holds }) => {
        for (const hold of holds.values()) hold.untilUs = nowUs
      })
    }
    reportWhatEnded(this.#backend)
  }

  /**
   * Disconnects all clients. Steps whose replies have not arrived reject with `UnavailableError` although they were carried
   * out, later steps reject without being carried out, and notifications are lost.
   */
  disconnect(): void {
    if (!this.#backend.isConnected) return
    this.#backend.isConnected = false
    for (const { inbox } of this.#backend.sessions.values()) inbox.break()
  }

  /** Undoes `disconnect`. Clients check their holds, and waiters check their state. */
  reconnect(): void {
    if (this.#backend.isConnected) return
    this.#backend.isConnected = true
    for (const { inbox } of this.#backend.sessions.values()) inbox.restore()
  }

  /** Carries out the next step without a reply: its caller gets an `UnavailableError`. Call it twice for the next two. */
  dropNextReply(): void {
    this.#backend.repliesToDrop++
  }

  /** Has another, empty store take over. Connections break and, unless the store was disconnected, come back. */
  failOver(): void {
    const wasConnected = this.#backend.isConnected
    this.disconnect()
    this.#backend.loseEverything()
    if (wasConnected) this.reconnect()
  }

  /** What is left in the store: `expect(store.leaks()).toEqual([])` after all clients were closed. */
  leaks(): readonly Leak[] {
    const { sessions, locks, shared, clock } = this.#backend
    const open = [...sessions.values()].map(({ host: { clientId, client } }): Leak => {
      return { kind: 'session', clientId, label: client.label }
    })
    return [...leaksOf(locks, shared, clock.nowUs()), ...open]
  }
}
