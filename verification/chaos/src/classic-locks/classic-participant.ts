import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Participant } from './participant.js'
import type { ClassicLock } from './classic-lock.js'
import type { LockUnderTest } from './lock-under-test.js'
import type { SteppedRedis } from './stepped-redis.js'

/** The last command of an acquisition and of a release, lower case. */
export interface LastCommands {
  readonly acquire: string
  readonly release: string
}

const pollEveryMs = 10

/** A participant with the lock of a classic stage. Such locks have no deadline, so it claims to hold until it leaves. */
export class ClassicParticipant implements Participant {
  readonly name: string
  /** These locks report no losses. */
  readonly releaseError = null
  readonly #subject: LockUnderTest
  readonly #redis: SteppedRedis
  readonly #lock: ClassicLock
  readonly #lastCommands: LastCommands
  readonly #call: { readonly process: string; readonly call: string; readonly lock: string }
  #acquiring: Promise<void> = Promise.resolve()
  #releasing: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(
    name: string,
    subject: LockUnderTest,
    redis: SteppedRedis,
    lock: ClassicLock,
    lastCommands: LastCommands,
  ) {
    this.name = name
    this.#subject = subject
    this.#redis = redis
    this.#lock = lock
    this.#lastCommands = lastCommands
    this.#call = { process: name, call: `${name}1`, lock: subject.lock }
  }

  async acquire(): Promise<'inside' | 'waiting'> {
    this.#subject.note({ ...this.#call, kind: 'requested', waitMs: null })
    if (await this.#lock.tryAcquire()) {
      this.#noteInside()
      return 'inside'
    }
    this.#acquiring = this.#poll()
    return 'waiting'
  }

  entered(): Promise<void> {
    return this.#acquiring
  }

  async release(): Promise<void> {
    // The last piece of work, so that two overlapping holds do not end within the same microsecond.
    await this.#redis.ping()
    this.#noteLeft()
    await this.#release()
  }

  crash(): Promise<void> {
    this.#subject.note({ kind: 'killed', process: this.name })
    return this.close()
  }

  async crashEntering(): Promise<void> {
    const { acquire } = this.#lastCommands
    const isStopped = this.#redis.stopBefore(acquire)
    void this.acquire()
    await isStopped
    this.#subject.noteFault(this.name, `paused before ${acquire.toUpperCase()}`)
    await this.crash()
  }

  pauseInside(): Promise<void> {
    this.#subject.noteFault(this.name, 'paused')
    return Promise.resolve()
  }

  async pauseReleasing(): Promise<void> {
    const { release } = this.#lastCommands
    const isStopped = this.#redis.stopBefore(release)
    this.#noteLeft()
    this.#releasing = this.#release()
    await isStopped
    this.#subject.noteFault(this.name, `paused before ${release.toUpperCase()}`)
  }

  async resume(): Promise<void> {
    this.#subject.noteHealed(this.name)
    this.#redis.resume()
    await this.#releasing
  }

  /** The connection stays up: a holder that sends nothing while it works would not notice the difference. */
  disconnect(): Promise<void> {
    this.#subject.noteFault(this.name, 'no connection to Redis')
    return Promise.resolve()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#acquiring
    const ended = once(this.#redis, 'end')
    this.#redis.disconnect()
    await ended
  }

  async #poll(): Promise<void> {
    do {
      await sleep(pollEveryMs)
      if (this.#isClosed) return
    } while (!(await this.#lock.tryAcquire()))
    this.#noteInside()
  }

  async #release(): Promise<void> {
    await this.#lock.release()
    this.#subject.note({ ...this.#call, kind: 'released', owner: this.name })
  }

  #noteInside(): void {
    this.#subject.note({
      ...this.#call,
      kind: 'acquired',
      owner: this.name,
      token: null,
      count: 1,
      claimUntilMs: null,
    })
  }

  #noteLeft(): void {
    this.#subject.note({ ...this.#call, kind: 'left', owner: this.name })
  }
}
