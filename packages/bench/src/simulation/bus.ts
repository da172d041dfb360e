import { quantileSorted } from 'simple-statistics'
import { chances } from './chance.js'
import type { Costs } from './costs.js'
import { Simulator } from './simulator.js'
import { Thread } from './thread.js'

export interface BusScene {
  readonly masters: number
  readonly handOffsPerS: number
  readonly notices: 'classic' | 'sharded'
  readonly forMs: number
}

export interface BusLoad {
  /** Of a node's time, on average over the nodes. Above 1 it never gets done. */
  readonly redisShare: number
  /** From the arrival of a release at its node to its notice at the waiter's connection. */
  readonly p99Ms: number
  /** What a node writes to the bus. */
  readonly busMbPerS: number
}

/** Hand-offs of many locks all over a Cluster: each costs its node an ask and a release, and its notice goes to all. */
export function simulateBus({ masters, handOffsPerS, notices, forMs }: BusScene, costs: Costs): BusLoad {
  const simulator = new Simulator()
  const nodes = Array.from({ length: masters }, () => new Thread(simulator))
  const chance = chances()
  const delaysMs: number[] = []
  const others = notices === 'classic' ? masters - 1 : 0
  const handOffUs = costs.redisAskUs + costs.redisHandOverUs + others * costs.redisBusSendUs
  let handOffs = 0

  const handOff = (): void => {
    const arrivedUs = simulator.nowUs
    const home = Math.floor(chance() * masters)
    const hears = notices === 'classic' ? Math.floor(chance() * masters) : home
    const heard = (): void => {
      simulator.after(costs.linkUs, () => delaysMs.push((simulator.nowUs - arrivedUs) / 1_000))
    }
    handOffs += 1
    nodes[home]?.work(handOffUs, () => {
      if (hears === home) heard()
      if (notices === 'sharded') return
      simulator.after(costs.linkUs, () => {
        nodes.forEach((node, n) => {
          if (n !== home) node.work(costs.redisBusReceiveUs, n === hears ? heard : () => undefined)
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

/** The most hand-offs per second that the nodes can do. With classic notices more nodes do not help beyond a point. */
export function mostHandOffsPerS(masters: number, notices: BusScene['notices'], costs: Costs): number {
  const others = notices === 'classic' ? masters - 1 : 0
  const eachUs =
    costs.redisAskUs + costs.redisHandOverUs + others * (costs.redisBusSendUs + costs.redisBusReceiveUs)
  return (masters * 1_000_000) / eachUs
}
