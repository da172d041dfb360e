import type { Costs } from './costs.js'
import { Simulator } from './simulator.js'
import { Thread } from './thread.js'

export interface HandOffSettings {
  readonly processes: number
  readonly waitersEach: number
  /** Added in each direction. */
  readonly delayMs: number
  readonly handOffs: number
  /** Whether a waiter requests the lock again after its release. */
  readonly requestsAgain: boolean
}

/** One contended lock, which every holder releases at once. */
export function simulateHandOff(
  settings: HandOffSettings,
  costs: Costs,
): { usPerHandOff: number; redisShare: number } {
  const { processes, waitersEach, delayMs, handOffs, requestsAgain } = settings
  const simulator = new Simulator()
  const redis = new Thread(simulator)
  const threads = Array.from({ length: processes }, () => new Thread(simulator))
  const wayUs = costs.linkUs + delayMs * 1_000
  const afterReleaseUs = costs.clientHandOverUs - costs.clientBeforeReleaseUs
  // Waiters by number; the process of a waiter is its number modulo `processes`.
  let queue = Array.from({ length: processes * waitersEach }, (_, n) => n)
  let first = 0
  let done = 0
  let lastUs = 0
  let isFree = false

  const threadOf = (waiter: number): Thread => {
    const thread = threads[waiter % processes]
    if (!thread) throw new Error('a simulation needs at least one process')
    return thread
  }
  const handOver = (): void => {
    if (done >= handOffs) return
    const waiter = queue[first]
    if (waiter === undefined) {
      isFree = true
      return
    }
    first += 1
    if (first > 100_000) {
      queue = queue.slice(first)
      first = 0
    }
    done += 1
    lastUs = simulator.nowUs
    simulator.after(wayUs, () => holdAndRelease(waiter))
  }
  const holdAndRelease = (waiter: number): void => {
    threadOf(waiter).work(costs.clientBeforeReleaseUs, () => {
      simulator.after(wayUs, () =>
        redis.work(costs.redisHandOverUs, () => {
          simulator.after(wayUs, () => left(waiter))
          handOver()
        }),
      )
    })
  }
  const left = (waiter: number): void => {
    const againUs = requestsAgain ? costs.clientAskUs : 0
    threadOf(waiter).work(afterReleaseUs + againUs, () => {
      if (requestsAgain) simulator.after(wayUs, () => request(waiter))
    })
  }
  const request = (waiter: number): void => {
    redis.work(costs.redisAskUs, () => {
      queue.push(waiter)
      if (!isFree) return
      isFree = false
      handOver()
    })
  }

  handOver()
  simulator.run()
  return { usPerHandOff: lastUs / (done - 1), redisShare: redis.busyUs / simulator.nowUs }
}
