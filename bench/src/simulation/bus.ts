import type { Costs } from './costs.js'

/** Hand-offs of many locks across a Cluster. */
export interface BusSettings {
  readonly masters: number
  readonly handOffsPerS: number
  /** Classic ones go to every node, sharded ones to the node of the lock only. */
  readonly notifications: 'classic' | 'sharded'
}

/** Computed: each hand-off costs its node a request and a release, and the others its notification. */
export function busLoad({ masters, handOffsPerS, notifications }: BusSettings, costs: Costs) {
  const others = notifications === 'classic' ? masters - 1 : 0
  const allUs =
    costs.redisAskUs + costs.redisHandOverUs + others * (costs.redisBusSendUs + costs.redisBusReceiveUs)
  return {
    /** Share of a node's time, on average over the nodes. Above 1 the load is unsustainable. */
    redisShare: (handOffsPerS * allUs) / masters / 1_000_000,
    /** What a node writes to the bus. */
    busMbPerS: (handOffsPerS * others * costs.busBytes) / masters / 1_000_000,
    /** The maximum of hand-offs. With classic notifications more nodes do not help beyond a point. */
    mostPerS: (masters * 1_000_000) / allUs,
  }
}
