import type { RedisAddress } from '../../index.js'

/** How addresses that Redis reports are reached from here, by `host:port`. */
export type NodeAddressMap =
  Readonly<Record<string, RedisAddress>> | ((address: string) => RedisAddress | undefined)

export const addressText = ({ host, port }: RedisAddress): string => `${host}:${port}`

/** Where a reported address is reached. */
export function mapped(reported: RedisAddress, map: NodeAddressMap | undefined): RedisAddress {
  const address = addressText(reported)
  return (typeof map === 'function' ? map(address) : map?.[address]) ?? reported
}
