import { chances } from './chance.js'
import { affine, type Costs } from './costs.js'
import { Simulator } from './simulator.js'
import { Thread } from './thread.js'

export interface FailOverSettings {
  readonly processes: number
  readonly holds: number
  readonly waiters: number
  readonly watchdogTimeoutMs: number
  readonly commandTimeoutMs: number
  /** From the crash of the master until another one serves. */
  readonly outageMs: number
  /** For comparison: each waiter of a reconnected process sends two commands. Otherwise refreshes cover them all. */
  readonly requestsSingly: boolean
}

export interface Recovery {
  /** From the moment the new master serves. */
  readonly lastProvenMs: number
  readonly lastAskedMs: number
  readonly holdsLost: number
  /** Unresponsive connections that were abandoned, beyond the one of each process that the outage broke. */
  readonly redials: number
  readonly redisShare: number
}

/** A connection without replies for this long is abandoned when a command on it times out. */
const unresponsiveAfterMs = 1_000
/** Attempts to connect are at most this far apart. */
const reconnectEveryMs = 1_000
const retryMs = 250
const maxPerCommand = 500
/** The end of the simulation: a process that has not recovered by then does not recover. */
const maxMs = 120_000

/** All processes find the new master within a second, renew their holds, and request their pending locks again. */
export function simulateFailOver(settings: FailOverSettings, costs: Costs): Recovery {
  const { processes, watchdogTimeoutMs, commandTimeoutMs } = settings
  const simulator = new Simulator()
  const redis = new Thread(simulator)
  const chance = chances()
  const renewal = affine(costs.redisSingleRenewalUs, costs.redisSharedRenewalUs)
  const holds = Math.ceil(settings.holds / processes)
  const waiters = Math.ceil(settings.waiters / processes)
  const commands = Math.ceil(holds / maxPerCommand)
  const renewUs = commands * renewal.command + holds * renewal.lock
  const requestUs = waiters * (settings.requestsSingly ? 2 * costs.redisAskUs : costs.redisRefreshUs)
  const connectUs = costs.redisReconnectUs - costs.redisSingleRenewalUs
  const renewalTimeoutMs = Math.min(commandTimeoutMs, watchdogTimeoutMs / 3)
  const driftMs = watchdogTimeoutMs / 100 + 2
  let lastProvenUs = 0
  let lastRequestedUs = 0
  let holdsLost = 0
  let reconnects = 0

  const send = (us: number, replied: () => void): void =>
    simulator.after(costs.linkUs, () => redis.work(us, () => simulator.after(costs.linkUs, replied)))

  for (let n = 0; n < processes; n += 1) {
    const leaseLeftMs = watchdogTimeoutMs * (1 - chance() / 3) - driftMs - settings.outageMs
    let connection = 0
    let unansweredSinceUs: number | undefined
    let isProven = holds === 0
    let isLost = false
    let isRequested = waiters === 0

    const connect = (): void => {
      connection += 1
      unansweredSinceUs = undefined
      const own = connection
      send(connectUs, () => {
        if (own !== connection) return
        if (!isProven && !isLost) renew()
        if (!isRequested) request()
      })
    }
    const command = (us: number, timeoutMs: number, replied: () => void, failed: () => void): void => {
      const own = connection
      let isOver = false
      unansweredSinceUs ??= simulator.nowUs
      send(us, () => {
        if (own !== connection) return
        unansweredSinceUs = undefined
        if (isOver) return
        isOver = true
        replied()
      })
      simulator.after(timeoutMs * 1_000, () => {
        if (isOver || own !== connection) return
        isOver = true
        if (
          unansweredSinceUs !== undefined &&
          simulator.nowUs - unansweredSinceUs >= unresponsiveAfterMs * 1_000
        ) {
          reconnects += 1
          // Redis still executes what this connection sent; the replies are lost.
          simulator.after((25 + 25 * chance()) * 1_000, connect)
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
    const request = (): void => {
      const requested = (): void => {
        if (isRequested) return
        isRequested = true
        lastRequestedUs = simulator.nowUs
      }
      command(requestUs, commandTimeoutMs, requested, () => {
        if (!isRequested) request()
      })
    }
    simulator.after(Math.max(0, leaseLeftMs) * 1_000, () => {
      if (isProven) return
      isLost = true
      holdsLost += holds
    })
    simulator.after(chance() * reconnectEveryMs * 1_000, connect)
  }

  simulator.run(maxMs * 1_000)
  const doneUs = Math.max(lastProvenUs, lastRequestedUs, 1)
  return {
    lastProvenMs: lastProvenUs / 1_000,
    lastAskedMs: lastRequestedUs / 1_000,
    holdsLost: Math.min(holdsLost, settings.holds),
    redials: reconnects,
    redisShare: Math.min(1, redis.busyUs / doneUs),
  }
}
