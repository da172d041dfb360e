import { chances } from './chance.js'
import { affine, type Costs } from './costs.js'
import { Simulator } from './simulator.js'
import { Thread } from './thread.js'

export interface FailOverScene {
  readonly processes: number
  readonly holds: number
  readonly waiters: number
  readonly watchdogTimeoutMs: number
  readonly commandTimeoutMs: number
  /** From the death of the master until another one serves. */
  readonly outageMs: number
  /** For comparison: all waiters of a process that came back ask, each by a command, twice. They go by refreshes otherwise. */
  readonly asksSingly: boolean
}

export interface Recovery {
  /** From the moment that the new master serves. */
  readonly lastProvenMs: number
  readonly lastAskedMs: number
  readonly holdsLost: number
  /** Connections given up since they were silent, beyond the one of each process that the outage broke. */
  readonly redials: number
  readonly redisShare: number
}

/** A connection that nothing was heard of for this long is given up when a command on it times out. */
const muteAfterMs = 1_000
/** Attempts to connect are at most this far apart. */
const dialEveryMs = 1_000
const retryMs = 250
const mostPerCommand = 500
/** More is not looked at: what is not back by then does not come back by itself. */
const longestMs = 120_000

/** All processes find the new master within a second, renew what they hold, and ask again for what they wait for. */
export function simulateFailOver(scene: FailOverScene, costs: Costs): Recovery {
  const { processes, watchdogTimeoutMs, commandTimeoutMs } = scene
  const simulator = new Simulator()
  const redis = new Thread(simulator)
  const chance = chances()
  const renewal = affine(costs.redisSingleRenewalUs, costs.redisSharedRenewalUs)
  const holds = Math.ceil(scene.holds / processes)
  const waiters = Math.ceil(scene.waiters / processes)
  const commands = Math.ceil(holds / mostPerCommand)
  const renewUs = commands * renewal.command + holds * renewal.lock
  const askUs = waiters * (scene.asksSingly ? 2 * costs.redisAskUs : costs.redisRefreshUs)
  const connectUs = costs.redisReconnectUs - costs.redisSingleRenewalUs
  const renewalTimeoutMs = Math.min(commandTimeoutMs, watchdogTimeoutMs / 3)
  const driftMs = watchdogTimeoutMs / 100 + 2
  let lastProvenUs = 0
  let lastAskedUs = 0
  let holdsLost = 0
  let redials = 0

  const send = (us: number, answered: () => void): void => {
    simulator.after(costs.linkUs, () => redis.work(us, () => simulator.after(costs.linkUs, answered)))
  }

  for (let n = 0; n < processes; n += 1) {
    const leaseLeftMs = watchdogTimeoutMs * (1 - chance() / 3) - driftMs - scene.outageMs
    let connection = 0
    let silentSinceUs: number | undefined
    let isProven = holds === 0
    let isLost = false
    let isAsked = waiters === 0

    const dial = (): void => {
      connection += 1
      silentSinceUs = undefined
      const mine = connection
      send(connectUs, () => {
        if (mine !== connection) return
        if (!isProven && !isLost) renew()
        if (!isAsked) ask()
      })
    }
    const command = (us: number, timeoutMs: number, answered: () => void, failed: () => void): void => {
      const mine = connection
      let isOver = false
      silentSinceUs ??= simulator.nowUs
      send(us, () => {
        if (mine !== connection) return
        silentSinceUs = undefined
        if (isOver) return
        isOver = true
        answered()
      })
      simulator.after(timeoutMs * 1_000, () => {
        if (isOver || mine !== connection) return
        isOver = true
        if (silentSinceUs !== undefined && simulator.nowUs - silentSinceUs >= muteAfterMs * 1_000) {
          redials += 1
          // Whatever it sent is still done by Redis, for nobody.
          simulator.after((25 + 25 * chance()) * 1_000, dial)
          connection += 1
          return
        }
        simulator.after(retryMs * 1_000, failed)
      })
    }
    const renew = (): void => {
      const proven = (): void => {
        if (isProven || isLost) return
        isProven = true
        lastProvenUs = simulator.nowUs
      }
      command(renewUs, renewalTimeoutMs, proven, () => {
        if (!isProven && !isLost) renew()
      })
    }
    const ask = (): void => {
      const asked = (): void => {
        if (isAsked) return
        isAsked = true
        lastAskedUs = simulator.nowUs
      }
      command(askUs, commandTimeoutMs, asked, () => {
        if (!isAsked) ask()
      })
    }
    simulator.after(Math.max(0, leaseLeftMs) * 1_000, () => {
      if (isProven) return
      isLost = true
      holdsLost += holds
    })
    simulator.after(chance() * dialEveryMs * 1_000, dial)
  }

  simulator.run(longestMs * 1_000)
  const doneUs = Math.max(lastProvenUs, lastAskedUs, 1)
  return {
    lastProvenMs: lastProvenUs / 1_000,
    lastAskedMs: lastAskedUs / 1_000,
    holdsLost: Math.min(holdsLost, scene.holds),
    redials,
    redisShare: Math.min(1, redis.busyUs / doneUs),
  }
}
