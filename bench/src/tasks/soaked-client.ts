import { setTimeout as sleep } from 'node:timers/promises'
import { Holdfast, UnavailableError, type Lease, type Lock } from '@holdfast/core'

const differentLocks = 1_000
const tasksAtOnce = 32

/** One client that is used in every way, for as long as wanted. */
export class SoakedClient {
  readonly #client: Holdfast
  readonly #neverAborted = new AbortController()
  /** The signal of most calls, which never aborts. */
  readonly signal: AbortSignal = this.#neverAborted.signal
  #turns = 0
  /** How many commands and short waits got no reply in time, as happens on a busy machine. */
  unanswered = 0

  constructor(url: string) {
    this.#client = new Holdfast({ redis: url })
    this.#client.on('error', (error) => {
      if (error instanceof UnavailableError) this.unanswered += 1
      else console.error(error)
    })
  }

  /** Resolves with the number of cycles once the time is up and all of them have ended. */
  async run(forMs: number, cyclesPerSecond: number): Promise<number> {
    const startedAt = performance.now()
    const ways = [this.#plain, this.#contended, this.#timedOut, this.#aborted, this.#nested]
    let cycles = 0
    const task = async (): Promise<void> => {
      while (performance.now() - startedAt < forMs) {
        const dueInMs = startedAt + (cycles * 1_000) / cyclesPerSecond - performance.now()
        cycles += 1
        if (dueInMs > 0) await sleep(dueInMs)
        const lock = this.#client.getLock(`soak:${Math.floor(Math.random() * differentLocks)}`)
        await ways[++this.#turns % ways.length]?.(lock)
      }
    }
    await Promise.all(Array.from({ length: tasksAtOnce }, task))
    return cycles
  }

  readonly #plain = async (lock: Lock): Promise<void> => {
    const lease = await lock.lock({ signal: this.signal })
    await lease.unlock()
  }

  readonly #contended = async (lock: Lock): Promise<void> => {
    await Promise.all([this.#plain(lock), this.#plain(lock), this.#plain(lock)])
  }

  readonly #timedOut = async (lock: Lock): Promise<void> => {
    const lease = await lock.lock({ signal: this.signal })
    let second: Lease | null = null
    try {
      second = await lock.tryLock({ waitMs: 20, signal: this.signal })
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      this.unanswered += 1
    }
    if (second) throw new Error(`${lock.name} was granted to two owners`)
    await lease.unlock()
  }

  readonly #aborted = async (lock: Lock): Promise<void> => {
    const lease = await lock.lock({ signal: this.signal })
    const abort = new AbortController()
    const waits = lock.lock({ signal: abort.signal })
    setImmediate(() => abort.abort())
    const [ended] = await Promise.allSettled([waits])
    if (ended.status === 'fulfilled' || ended.reason !== abort.signal.reason)
      throw new Error(`${lock.name}: an aborted wait did not reject with the reason of its signal`)
    await lease.unlock()
  }

  readonly #nested = (lock: Lock): Promise<void> =>
    lock.withLock({ signal: this.signal }, () => lock.withLock(() => undefined))
}
