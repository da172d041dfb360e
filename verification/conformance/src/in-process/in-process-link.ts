import { UnavailableError } from '@holdfast/core/engine'
import type { Link, LinkDirection } from '../engine-under-test.js'

/** Each way. */
const latencyMs = 2

/** What carries messages between a client and its store. */
export interface Network {
  /** Resolves when what is sent now has arrived. Requests and replies have one connection, notifications another. */
  travel(direction: OneWay, connection: Connection): Promise<void>
  /** Runs something where messages of that direction arrive, as soon as anything runs there. */
  atOnce(direction: OneWay, run: () => void): void
}

export type OneWay = Exclude<LinkDirection, 'both'>
export type Connection = 'steps' | 'notifications'

const steady: Network = {
  travel: () => new Promise((resolve) => setTimeout(() => resolve(), latencyMs)),
  atOnce: (_, run) => run(),
}

/** The network between a client and a store in the same process: delays, holds back, breaks. */
export class InProcessLink implements Link {
  /** How often it broke. */
  breaks = 0
  /** Whether it was closed. Nothing arrives any more then. */
  isClosed = false
  /** Called after a break. */
  onBreak: () => void = () => undefined
  readonly #engine: string
  readonly #tripsPerStep: number
  readonly #network: Network
  readonly #held = new Set<OneWay>()
  readonly #waiting = new Map<OneWay, Set<() => void>>([
    ['toStore', new Set()],
    ['toClient', new Set()],
  ])
  readonly #inFlight = new Set<(why: string) => void>()
  #replyLost: (() => void) | undefined

  /**
   * @param engine - the name of the engine behind it
   * @param tripsPerStep - the step is carried out by the last of so many round trips
   * @param network - 2 ms each way unless given
   */
  constructor(engine: string, tripsPerStep: number, network: Network = steady) {
    this.#engine = engine
    this.#tripsPerStep = tripsPerStep
    this.#network = network
  }

  /** Carries out one step at the store and brings its result back. */
  call<T>(timeoutMs: number, run: () => Promise<T>, isAboutLock: boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer)
        this.#inFlight.delete(fail)
      }
      const fail = (why: string): void => {
        settle()
        reject(new UnavailableError(why, { engine: this.#engine }))
      }
      const timer = setTimeout(() => fail(`no reply within ${timeoutMs} ms`), timeoutMs)
      this.#inFlight.add(fail)
      const isWanted = (): boolean => this.#inFlight.has(fail)
      this.#travel(run, isAboutLock, isWanted).then((result) => {
        settle()
        resolve(result)
      }, reject)
    })
  }

  /** Resolves when what is sent now has arrived. */
  async arrival(direction: OneWay, connection: Connection = 'steps'): Promise<void> {
    await this.#network.travel(direction, connection)
    while (this.#held.has(direction)) {
      await new Promise<void>((resolve) => {
        this.#waiting.get(direction)?.add(() => this.#network.atOnce(direction, resolve))
      })
    }
  }

  blackHole(direction: LinkDirection): void {
    for (const way of ['toStore', 'toClient'] as const) {
      if (direction === 'both' || direction === way) this.#held.add(way)
    }
  }

  heal(): void {
    this.#held.clear()
    for (const waiting of this.#waiting.values()) {
      for (const arrive of waiting) arrive()
      waiting.clear()
    }
  }

  cut(): void {
    this.#network.atOnce('toClient', () => {
      this.fail('the connection broke')
      this.breaks += 1
      this.onBreak()
    })
  }

  loseNextReply(): Promise<void> {
    return new Promise((resolve) => {
      this.#replyLost = resolve
    })
  }

  close(): Promise<void> {
    this.isClosed = true
    this.heal()
    this.fail('the link was closed')
    return Promise.resolve()
  }

  /** Rejects all that is in flight; the store may still carry it out. */
  fail(why: string): void {
    for (const fail of this.#inFlight) fail(why)
  }

  /** @param isWanted - whether the client still sends what is left of the step */
  async #travel<T>(run: () => Promise<T>, isAboutLock: boolean, isWanted: () => boolean): Promise<T> {
    for (let trip = 1; trip < this.#tripsPerStep; trip += 1) {
      await this.arrival('toStore')
      await this.arrival('toClient')
      if (!isWanted()) throw new UnavailableError('the step broke off', { engine: this.#engine })
    }
    await this.arrival('toStore')
    const result = await run()
    if (isAboutLock && this.#replyLost) {
      const replyLost = this.#replyLost
      this.#replyLost = undefined
      this.cut()
      replyLost()
    }
    await this.arrival('toClient')
    return result
  }
}
