import type { Costs } from './costs.js'
import { Simulator } from './simulator.js'
import { Thread } from './thread.js'

export interface HandOffScene {
  readonly processes: number
  readonly waitersEach: number
  /** On how many cores the processes run; each has its own when left out. */
  readonly cores?: number
  /** Added to each way. */
  readonly delayMs: number
  readonly handOffs: number
  /** Whether whoever has released asks again. */
  readonly asksAgain: boolean
}

/** One lock that everybody wants, given back as soon as one has it. */
export function simulateHandOff(
  scene: HandOffScene,
  costs: Costs,
): { usPerHandOff: number; redisShare: number } {
  const { processes, waitersEach, cores = processes, delayMs, handOffs, asksAgain } = scene
  const simulator = new Simulator()
  const redis = new Thread(simulator)
  const threads = Array.from({ length: cores }, () => new Thread(simulator))
  const wayUs = costs.linkUs + delayMs * 1_000
  const afterReleaseUs = costs.clientHandOverUs - costs.clientBeforeReleaseUs
  // Whoever waits, by number; its process is the number modulo `processes`.
  let queue = Array.from({ length: processes * waitersEach }, (_, n) => n)
  let first = 0
  let done = 0
  let lastUs = 0
  let isFree = false

  const threadOf = (waiter: number): Thread => {
    const thread = threads[(waiter % processes) % cores]
    if (!thread) throw new Error('there is no core')
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
    const againUs = asksAgain ? costs.clientAskUs : 0
    threadOf(waiter).work(afterReleaseUs + againUs, () => {
      if (asksAgain) simulator.after(wayUs, () => ask(waiter))
    })
  }
  const ask = (waiter: number): void => {
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
