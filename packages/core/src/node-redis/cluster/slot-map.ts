import type { RedisAddress } from '../../index.js'
import { addressText } from '../link/address-map.js'

const slotCount = 16_384

/** Which nodes have which slots. */
export interface SlotMap {
  /** Per slot the nodes that have it, the master first, each as `host:port`. */
  readonly slots: (readonly string[] | undefined)[]
  readonly masters: ReadonlyMap<string, RedisAddress>
}

/**
 * Reads the reply to CLUSTER SLOTS.
 *
 * @param asked - the node that sent it: one that does not know its own address leaves it out
 * @param reach - where a reported address is reached
 */
export function readSlots(
  reply: unknown,
  asked: RedisAddress,
  reach: (reported: RedisAddress) => RedisAddress,
): SlotMap {
  const slots: (readonly string[] | undefined)[] = new Array<undefined>(slotCount).fill(undefined)
  const masters = new Map<string, RedisAddress>()
  for (const range of listOf(reply)) {
    const [from, to, ...nodes] = listOf(range)
    const addresses = nodes.map((node) => {
      const [host, port] = listOf(node)
      return reach({ host: hostOr(host, asked.host), port: Number(port) })
    })
    const [master] = addresses
    if (!master) continue
    const names = addresses.map(addressText)
    masters.set(addressText(master), master)
    slots.fill(names, Number(from), Number(to) + 1)
  }
  return { slots, masters }
}

const hostOr = (host: unknown, other: string): string =>
  typeof host === 'string' && host !== '' && host !== '?' ? host : other

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
