import {
  forkWorker,
  startProxy,
  type FaultProxy,
  type HistoryEvent,
  type Worker,
  until,
} from '@holdfast/testkit'
import type { Actor, ActorOptions } from './actor.js'
import type { Scene } from './scene.js'

export interface HoldfastActorOptions extends ActorOptions {
  /** The compiled `holdfast-worker`. */
  readonly workerFile: string
  readonly watchdogTimeoutMs: number
}

/** An actor with a Holdfast lock: a real process behind a link of its own, killed, stopped and cut off for real. */
export class HoldfastActor implements Actor {
  readonly name: string
  leftWith: string | null = null
  readonly #scene: Scene
  readonly #worker: Worker
  readonly #proxy: FaultProxy
  #inside: Promise<void> | null = null
  #isLeaving = false

  private constructor(name: string, scene: Scene, worker: Worker, proxy: FaultProxy) {
    this.name = name
    this.#scene = scene
    this.#worker = worker
    this.#proxy = proxy
  }

  static async start(name: string, scene: Scene, options: HoldfastActorOptions): Promise<HoldfastActor> {
    const { workerFile, watchdogTimeoutMs, clockAheadMs = 0 } = options
    const { hostname, port } = new URL(scene.url)
    const proxy = await startProxy({ host: hostname, port: Number(port) })
    const worker = await forkWorker(workerFile, {
      args: [proxy.url, name, scene.lock, String(watchdogTimeoutMs), String(clockAheadMs)],
    })
    const actor = new HoldfastActor(name, scene, worker, proxy)
    await worker.waitFor('ready')
    return actor
  }

  async asks(): Promise<'inside' | 'waiting'> {
    await this.#worker.send({ type: 'ask' })
    const first = await this.#worker.waitFor(({ type }) => type === 'inside' || type === 'waiting')
    return first.type === 'waiting' ? 'waiting' : 'inside'
  }

  isInside(): Promise<void> {
    this.#inside ??= this.#worker.waitFor('inside').then(() => undefined)
    return this.#inside
  }

  async leaves(): Promise<void> {
    await this.#worker.send({ type: 'leave' })
    await this.#hasLeft()
  }

  async dies(): Promise<void> {
    await this.#worker.kill()
    this.#scene.note({ kind: 'killed', process: this.name })
  }

  async diesEntering(): Promise<void> {
    this.#proxy.blackHole('toClient')
    await this.#worker.send({ type: 'ask' })
    await this.#scene.untilHeld()
    this.#scene.noteFault(this.name, 'the answer is under way')
    await this.dies()
  }

  async stallsInside(): Promise<void> {
    await this.#worker.freeze()
    this.#scene.noteFault(this.name, 'stands still')
  }

  async stallsLeaving(): Promise<void> {
    await this.stallsInside()
    this.#isLeaving = true
    await this.#worker.send({ type: 'leave' })
  }

  async goesOn(): Promise<void> {
    this.#scene.noteHealed(this.name)
    this.#proxy.heal()
    this.#worker.thaw()
    if (this.#isLeaving) await this.#hasLeft()
  }

  losesLink(): Promise<void> {
    this.#proxy.blackHole('both')
    this.#scene.noteFault(this.name, 'no link to Redis')
    return Promise.resolve()
  }

  async close(): Promise<void> {
    await this.#worker.kill()
    this.#proxy.heal()
    // Resetting a connection that is just ending leaves Node 20 a handle that it spins on when it exits.
    await until(() => this.#proxy.connections === 0, { what: `the connections of ${this.name} to end` })
    await this.#proxy.close()
    for (const { event } of this.#worker.messages) {
      if (isHistoryEvent(event)) this.#scene.add(event)
    }
  }

  async #hasLeft(): Promise<void> {
    const { code } = await this.#worker.waitFor('left')
    this.leftWith = typeof code === 'string' ? code : null
  }
}

function isHistoryEvent(value: unknown): value is HistoryEvent {
  return typeof value === 'object' && value !== null && 'kind' in value && 'atMs' in value
}
