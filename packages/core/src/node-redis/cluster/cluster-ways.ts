import type { RedisAddress } from '../../index.js'
import { Connection } from '../connection/connection.js'
import type { ReportFailure } from '../connection/connection.js'
import { addressText, mapped } from '../link/address-map.js'
import { toError } from '../link/errors.js'
import type { NodeRedisClient } from '../link/given-client.js'
import type { GivenOptions } from '../link/link-options.js'
import type { LinkSettings } from '../link/link.js'
import { requestOnce } from '../link/request-once.js'
import type { NodeRedisClusterOptions } from './options.js'
import { nodeOptionsOf, rootNodeOf } from './root-nodes.js'
import type { RootNode } from './root-nodes.js'
import { readSlots } from './slot-map.js'
import type { SlotMap } from './slot-map.js'

/** How the nodes of a cluster are found and connected to. */
export class ClusterWays {
  readonly roots: readonly RootNode[]
  readonly #template: NodeRedisClient
  readonly #given: NodeRedisClusterOptions
  readonly #nodeOptions: GivenOptions

  constructor(template: NodeRedisClient, given: NodeRedisClusterOptions) {
    const { rootNodes, defaults = {} } = given
    this.#template = template
    this.#given = given
    this.roots = rootNodes.map((node) => rootNodeOf(node, defaults))
    this.#nodeOptions = nodeOptionsOf(this.roots, defaults)
  }

  /** Where a reported address is reached. */
  readonly reach = (reported: RedisAddress): RedisAddress => mapped(reported, this.#given.nodeAddressMap)

  /** A connection to that node, which ends when it breaks. */
  connectionTo(address: RedisAddress, settings: LinkSettings): Connection {
    const target = { template: this.#template, options: this.#nodeOptions, address }
    return new Connection({ resolve: () => target, settings, address })
  }

  /** Asks one node after another, the known ones first and then the root nodes in any order, where the slots are. */
  async findSlots(
    known: readonly RedisAddress[],
    settings: LinkSettings,
    report: ReportFailure,
    signal: AbortSignal,
  ): Promise<SlotMap> {
    let lastNodeError = new Error('there are no root nodes')
    const nodes = [
      ...known.map((address) => ({ address, options: this.#nodeOptions })),
      ...shuffled(this.roots),
    ]
    for (const { address, options } of nodes) {
      try {
        const target = { template: this.#template, options, address }
        return readSlots(
          await requestOnce(target, settings, ['CLUSTER', 'SLOTS'], signal),
          address,
          this.reach,
        )
      } catch (thrown) {
        lastNodeError = toError(thrown)
        if (signal.aborted) break
        report(lastNodeError, addressText(address))
      }
    }
    throw Object.assign(new Error('no node said where the slots are'), { lastNodeError })
  }
}

const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value)
