import { nowMs, type HistoryEvent } from '@holdfast/testkit'
import type { Client } from 'pg'
import { addressOf as anyAddressOf } from '../../../src/postgres/address.js'
import type { Step } from '../../../src/postgres/step.js'
import type { Inbox, Steps } from '../../../src/postgres/steps.js'
import { call } from '../steps/call.js'

const leaseMs = 300
const queuedMs = 60_000
const tombstoneMs = 60_000

/** What the clock of the server and that of the history may differ by in a lease. */
const marginMs = 5

const chance = (probability: number): boolean => Math.random() < probability

export interface WorkerOptions {
  /** Its name in the history. */
  readonly process: string
  /** A lock that it queues for, and one that it only tries. */
  readonly queued: string
  readonly tried: string
  readonly inbox: Inbox
}

/** Takes random steps on a few locks, as fast as it can, and records what a client would claim. */
export class Worker {
  readonly events: HistoryEvent[] = []
  readonly errors: string[] = []
  /** Owners whose holds and queue entries are to be gone in the end. */
  readonly finished: string[] = []
  readonly #client: Client
  readonly #steps: Steps
  readonly #options: WorkerOptions

  constructor(client: Client, steps: Steps, options: WorkerOptions) {
    this.#client = client
    this.#steps = steps
    this.#options = options
  }

  async run(isOver: () => boolean): Promise<void> {
    const { process, queued, tried } = this.#options
    for (let nth = 1; !isOver(); nth++) {
      const lock = chance(0.5) ? queued : tried
      const owner = `${process}:${nth}`
      const of = { process, call: owner, lock, owner }
      this.events.push({ kind: 'requested', atMs: nowMs(), waitMs: null, ...of })
      try {
        if (await this.#acquire(lock, owner)) await this.#use(lock, owner)
        else this.events.push({ kind: 'refused', atMs: nowMs(), reason: 'aborted', message: '', ...of })
      } catch (error) {
        this.errors.push(String(error))
      }
    }
  }

  /** Repeats the request until it is let in, or gives up. */
  async #acquire(lock: string, owner: string): Promise<boolean> {
    const entryTtlMs = lock === this.#options.queued ? queuedMs : 0
    for (;;) {
      if (await this.#enter(lock, owner, 1, entryTtlMs)) return true
      if (chance(0.05)) {
        await this.#release(lock, owner, chance(0.5) ? tombstoneMs : 0)
        return false
      }
      if (entryTtlMs > 0 && chance(0.3))
        await this.#do(
          this.#steps.refresh([{ address: addressOf(lock), owner, entryTtlMs }], this.#options.inbox),
        )
    }
  }

  async #use(lock: string, owner: string): Promise<void> {
    if (chance(0.7)) {
      const renewal = this.#steps.renew([{ address: addressOf(lock), owner, leaseMs }], 1_000)
      await this.#do(renewal).catch(unlessTooBusy)
    }
    if (chance(0.3) && (await this.#enter(lock, owner, 2, 0))) {
      await this.#do(this.#steps.release(addressOf(lock), { owner, count: 1, tombstoneMs: 0 }, 0))
    }
    this.events.push({
      kind: 'left',
      atMs: nowMs(),
      process: this.#options.process,
      call: owner,
      lock,
      owner,
    })
    // Now and then it forgets to, and the lease ends by itself.
    if (!chance(0.02)) await this.#release(lock, owner, 0)
  }

  async #enter(lock: string, owner: string, count: number, entryTtlMs: number): Promise<boolean> {
    const atMs = nowMs()
    const request = { owner, count, leaseMs, entryTtlMs, grantLeaseMs: leaseMs, proof: 'p', wantsToken: true }
    const reply = await this.#do(this.#steps.acquire(addressOf(lock), request, this.#options.inbox, 0))
    if (reply.kind !== 'held') return false
    const { process } = this.#options
    const claimUntilMs = atMs + leaseMs - marginMs
    const token = reply.token
    this.events.push({
      kind: 'acquired',
      atMs: nowMs(),
      process,
      call: owner,
      lock,
      owner,
      token,
      count,
      claimUntilMs,
    })
    return true
  }

  async #release(lock: string, owner: string, tombstone: number): Promise<void> {
    await this.#do(this.#steps.release(addressOf(lock), { owner, count: 0, tombstoneMs: tombstone }, 0))
    this.finished.push(owner)
  }

  #do<T>(step: Step<T>): Promise<T> {
    return call(this.#client, step)
  }
}

/** A renewal waits for a row no longer than it was told. */
function unlessTooBusy(error: unknown): void {
  if (!String(error).includes('lock timeout')) throw error
}

const addressOf = (lock: string) => anyAddressOf(lock, 'lock')
