import { quantileSorted } from 'simple-statistics'
import { chances } from './chance.js'
import type { Costs } from './costs.js'
import { Simulator } from './simulator.js'
import { Thread } from './thread.js'

export interface BusSettings {
  readonly masters: number
  readonly handOffsPerS: number
  readonly notifications: 'classic' | 'sharded'
  readonly forMs: number
}

export interface BusLoad {
  /** Share of a node's time, on average over the nodes. Above 1 the load is unsustainable. */
  readonly redisShare: number
  /** From the arrival of a release at its node to its notification at the waiter's connection. */
  readonly p99Ms: number
  /** What a node writes to the bus. */
  readonly busMbPerS: number
}

/** Hand-offs of many locks across a Cluster: each costs its node a request and a release; its notification may go to all. */
export function simulateBus(
  { masters, handOffsPerS, notifications, forMs }: BusSettings,
  costs: Costs,
): BusLoad {
  const simulator = new Simulator()
  const nodes = Array.from({ length: masters }, () => new Thread(simulator))
  const chance = chances()
  const delaysMs: number[] = []
  const others = notifications === 'classic' ? masters - 1 : 0
  const handOffUs = costs.redisAskUs + costs.redisHandOverUs + others * costs.redisBusSendUs
  let handOffs = 0

  const handOff = (): void => {
    const arrivedUs = simulator.nowUs
    const home = Math.floor(chance() * masters)
    const listening = notifications === 'classic' ? Math.floor(chance() * masters) : home
    const notified = (): void => {
      simulator.after(costs.linkUs, () => delaysMs.push((simulator.nowUs - arrivedUs) / 1_000))
    }
    handOffs += 1
    nodes[home]?.work(handOffUs, () => {
      if (listening === home) notified()
      if (notifications === 'sharded') return
      simulator.after(costs.linkUs, () => {
        nodes.forEach((node, n) => {
          if (n !== home) node.work(costs.redisBusReceiveUs, n === listening ? notified : () => undefined)
        })
      })
    })
  }
  for (let atUs = 0; atUs < forMs * 1_000;) {
    simulator.after(atUs, handOff)
    atUs += (-Math.log(chance()) * 1_000_000) / handOffsPerS
  }

  simulator.run()
  const busyUs = nodes.reduce((sum, node) => sum + node.busyUs, 0)
  return {
    redisShare: busyUs / (masters * forMs * 1_000),
    p99Ms: quantileSorted([...Float64Array.from(delaysMs).sort()], 0.99),
    busMbPerS: (handOffs * others * costs.busBytes) / masters / (forMs * 1_000),
  }
}

/** The maximum of hand-offs per second. With classic notifications more nodes do not help beyond a point. */
export function maxHandOffsPerS(
  masters: number,
  notifications: BusSettings['notifications'],
  costs: Costs,
): number {
  const others = notifications === 'classic' ? masters - 1 : 0
  const eachUs =
    costs.redisAskUs + costs.redisHandOverUs + others * (costs.redisBusSendUs + costs.redisBusReceiveUs)
  return (masters * 1_000_000) / eachUs
}
