import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from './actor.js'
import type { ClassicLock } from './classic-lock.js'
import type { Scene } from './scene.js'
import type { SteppedRedis } from './stepped-redis.js'

/** The last command of each way through the door, lower case. */
export interface Doors {
  readonly entering: string
  readonly leaving: string
}

const pollEveryMs = 10

/** An actor with a lock of one of the stages. Such locks know no deadline, so it claims to hold until it leaves. */
export class ClassicActor implements Actor {
  readonly name: string
  /** These locks tell nobody. */
  readonly leftWith = null
  readonly #scene: Scene
  readonly #redis: SteppedRedis
  readonly #lock: ClassicLock
  readonly #doors: Doors
  readonly #call: { readonly process: string; readonly call: string; readonly lock: string }
  #entering: Promise<void> = Promise.resolve()
  #leaving: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(name: string, scene: Scene, redis: SteppedRedis, lock: ClassicLock, doors: Doors) {
    this.name = name
    this.#scene = scene
    this.#redis = redis
    this.#lock = lock
    this.#doors = doors
    this.#call = { process: name, call: `${name}1`, lock: scene.lock }
  }

  async asks(): Promise<'inside' | 'waiting'> {
    this.#scene.note({ ...this.#call, kind: 'asked', waitMs: null })
    if (await this.#lock.tryAcquire()) {
      this.#noteInside()
      return 'inside'
    }
    this.#entering = this.#keepAsking()
    return 'waiting'
  }

  isInside(): Promise<void> {
    return this.#entering
  }

  async leaves(): Promise<void> {
    // The last of its work, so that two holds at once are not over within the same microsecond.
    await this.#redis.ping()
    this.#noteLeft()
    await this.#release()
  }

  dies(): Promise<void> {
    this.#scene.note({ kind: 'killed', process: this.name })
    return this.close()
  }

  async diesEntering(): Promise<void> {
    const { entering } = this.#doors
    const atTheDoor = this.#redis.stopBefore(entering)
    void this.asks()
    await atTheDoor
    this.#scene.noteFault(this.name, `stands still before ${entering.toUpperCase()}`)
    await this.dies()
  }

  stallsInside(): Promise<void> {
    this.#scene.noteFault(this.name, 'stands still')
    return Promise.resolve()
  }

  async stallsLeaving(): Promise<void> {
    const { leaving } = this.#doors
    const atTheDoor = this.#redis.stopBefore(leaving)
    this.#noteLeft()
    this.#leaving = this.#release()
    await atTheDoor
    this.#scene.noteFault(this.name, `stands still before ${leaving.toUpperCase()}`)
  }

  async goesOn(): Promise<void> {
    this.#scene.noteHealed(this.name)
    this.#redis.goOn()
    await this.#leaving
  }

  /** Nothing is done to the link: a holder that sends nothing while it works could not tell. */
  losesLink(): Promise<void> {
    this.#scene.noteFault(this.name, 'no link to Redis')
    return Promise.resolve()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#entering
    const ended = once(this.#redis, 'end')
    this.#redis.disconnect()
    await ended
  }

  async #keepAsking(): Promise<void> {
    do {
      await sleep(pollEveryMs)
      if (this.#isClosed) return
    } while (!(await this.#lock.tryAcquire()))
    this.#noteInside()
  }

  async #release(): Promise<void> {
    await this.#lock.release()
    this.#scene.note({ ...this.#call, kind: 'released', owner: this.name })
  }

  #noteInside(): void {
    this.#scene.note({
      ...this.#call,
      kind: 'acquired',
      owner: this.name,
      token: null,
      count: 1,
      claimUntilMs: null,
    })
  }

  #noteLeft(): void {
    this.#scene.note({ ...this.#call, kind: 'left', owner: this.name })
  }
}
