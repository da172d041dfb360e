import { quantileSorted } from 'simple-statistics'
import { chances } from './chance.js'
import { affine, type Costs } from './costs.js'
import { Simulator } from './simulator.js'
import { Thread } from './thread.js'

export interface RenewalSettings {
  readonly holds: number
  readonly processes: number
  readonly masters: number
  readonly periodMs: number
  /** `slots`: every name hashes to any slot. `tags`: a process keeps its locks in one slot, or there is one server. */
  readonly names: 'slots' | 'tags'
  /**
   * What is spread over the period: processes, each with all its holds, or nothing. Holds of one process become due
   * together, since the watchdog fills its batches.
   */
  readonly phases: 'processes' | 'none'
}

export interface RenewalLoad {
  readonly commandsPerS: number
  /** Share of the busiest master's time. Above 1 the load is unsustainable. */
  readonly redisShare: number
  readonly p99Ms: number
}

/** The renewals that a process sends to one master at once. */
interface Batch {
  readonly master: number
  /** In how many commands. */
  readonly count: number
  readonly locks: number
}

const slots = 16_384
const maxPerCommand = 500

/** One period of renewals; delays count from the time a renewal is due to its reply. */
export function simulateRenewals(settings: RenewalSettings, costs: Costs): RenewalLoad {
  const { holds, processes, masters, periodMs } = settings
  const simulator = new Simulator()
  const redises = Array.from({ length: masters }, () => new Thread(simulator))
  const chance = chances()
  const redisCost = affine(costs.redisSingleRenewalUs, costs.redisSharedRenewalUs)
  const clientCost = affine(costs.clientSingleRenewalUs, costs.clientSharedRenewalUs)
  const delaysMs: number[] = []
  let commands = 0

  const renew = (thread: Thread, { master, count, locks }: Batch): void => {
    const redis = redises[master]
    if (!redis) throw new Error('a batch for an unknown master')
    const dueUs = simulator.nowUs
    commands += count
    thread.work(clientCost.command * count + clientCost.lock * locks, () =>
      simulator.after(costs.linkUs, () =>
        redis.work(redisCost.command * count + redisCost.lock * locks, () =>
          simulator.after(costs.linkUs, () => delaysMs.push((simulator.nowUs - dueUs) / 1_000)),
        ),
      ),
    )
  }

  for (let n = 0; n < processes; n += 1) {
    const thread = new Thread(simulator)
    const held = Math.floor(((n + 1) * holds) / processes) - Math.floor((n * holds) / processes)
    const home = Math.floor(chance() * masters)
    if (held === 0) continue
    const phase = settings.phases === 'none' ? 0 : chance()
    simulator.after(phase * periodMs * 1_000, () => {
      if (settings.names === 'slots') {
        for (const batch of bySlot(held, masters, chance)) renew(thread, batch)
      } else {
        renew(thread, { master: home, count: Math.ceil(held / maxPerCommand), locks: held })
      }
    })
  }

  simulator.run()
  const sorted = Float64Array.from(delaysMs).sort()
  return {
    commandsPerS: commands / (periodMs / 1_000),
    redisShare: Math.max(...redises.map(({ busyUs }) => busyUs)) / (periodMs * 1_000),
    p99Ms: quantileSorted([...sorted], 0.99),
  }
}

/** Locks whose names hash to any slot: a command for each slot, on the connection to its master. */
function bySlot(locks: number, masters: number, chance: () => number): Batch[] {
  const batches = Array.from({ length: masters }, (_, master) => ({
    master,
    slots: new Set<number>(),
    locks: 0,
  }))
  for (let n = 0; n < locks; n += 1) {
    const slot = Math.floor(chance() * slots)
    const batch = batches[slot % masters]
    batch?.slots.add(slot)
    if (batch) batch.locks += 1
  }
  return batches
    .filter((batch) => batch.locks > 0)
    .map((batch) => ({ master: batch.master, count: batch.slots.size, locks: batch.locks }))
}
