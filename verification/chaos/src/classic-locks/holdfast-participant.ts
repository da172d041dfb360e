import {
  forkWorker,
  startProxy,
  type FaultProxy,
  type HistoryEvent,
  type Worker,
  until,
} from '@holdfast/testkit'
import type { Participant, ParticipantOptions } from './participant.js'
import type { LockUnderTest } from './lock-under-test.js'

export interface HoldfastParticipantOptions extends ParticipantOptions {
  /** The compiled `holdfast-worker`. */
  readonly workerFile: string
  readonly watchdogTimeoutMs: number
}

/** A participant with a Holdfast lock: a process behind its own fault proxy, which is really killed, frozen or cut off. */
export class HoldfastParticipant implements Participant {
  readonly name: string
  releaseError: string | null = null
  readonly #subject: LockUnderTest
  readonly #worker: Worker
  readonly #proxy: FaultProxy
  #entered: Promise<void> | null = null
  #isReleasing = false

  private constructor(name: string, subject: LockUnderTest, worker: Worker, proxy: FaultProxy) {
    this.name = name
    this.#subject = subject
    this.#worker = worker
    this.#proxy = proxy
  }

  static async start(
    name: string,
    subject: LockUnderTest,
    options: HoldfastParticipantOptions,
  ): Promise<HoldfastParticipant> {
    const { workerFile, watchdogTimeoutMs, clockAheadMs = 0 } = options
    const { hostname, port } = new URL(subject.url)
    const proxy = await startProxy({ host: hostname, port: Number(port) })
    const worker = await forkWorker(workerFile, {
      args: [proxy.url, name, subject.lock, String(watchdogTimeoutMs), String(clockAheadMs)],
    })
    const participant = new HoldfastParticipant(name, subject, worker, proxy)
    await worker.waitFor('ready')
    return participant
  }

  async acquire(): Promise<'inside' | 'waiting'> {
    await this.#worker.send({ type: 'acquire' })
    const first = await this.#worker.waitFor(({ type }) => type === 'inside' || type === 'waiting')
    return first.type === 'waiting' ? 'waiting' : 'inside'
  }

  entered(): Promise<void> {
    this.#entered ??= this.#worker.waitFor('inside').then(() => undefined)
    return this.#entered
  }

  async release(): Promise<void> {
    await this.#worker.send({ type: 'release' })
    await this.#released()
  }

  async crash(): Promise<void> {
    await this.#worker.kill()
    this.#subject.note({ kind: 'killed', process: this.name })
  }

  async crashEntering(): Promise<void> {
    this.#proxy.blackHole('toClient')
    await this.#worker.send({ type: 'acquire' })
    await this.#subject.untilHeld()
    this.#subject.noteFault(this.name, 'the reply is in flight')
    await this.crash()
  }

  async pauseInside(): Promise<void> {
    await this.#worker.freeze()
    this.#subject.noteFault(this.name, 'paused')
  }

  async pauseReleasing(): Promise<void> {
    await this.pauseInside()
    this.#isReleasing = true
    await this.#worker.send({ type: 'release' })
  }

  async resume(): Promise<void> {
    this.#subject.noteHealed(this.name)
    this.#proxy.heal()
    this.#worker.thaw()
    if (this.#isReleasing) await this.#released()
  }

  disconnect(): Promise<void> {
    this.#proxy.blackHole('both')
    this.#subject.noteFault(this.name, 'no connection to Redis')
    return Promise.resolve()
  }

  async close(): Promise<void> {
    await this.#worker.kill()
    this.#proxy.heal()
    // In Node 20, resetting a connection that is just ending leaves a handle on which the process spins when it exits.
    await until(() => this.#proxy.connections === 0, { what: `the connections of ${this.name} to end` })
    await this.#proxy.close()
    for (const { event } of this.#worker.messages) {
      if (isHistoryEvent(event)) this.#subject.add(event)
    }
  }

  async #released(): Promise<void> {
    const { code } = await this.#worker.waitFor('released')
    this.releaseError = typeof code === 'string' ? code : null
  }
}

function isHistoryEvent(value: unknown): value is HistoryEvent {
  return typeof value === 'object' && value !== null && 'kind' in value && 'atMs' in value
}
