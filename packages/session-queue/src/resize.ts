import type { ResizeReply, ResizeRequest } from '@holdfast/core/engine'
import type { QueueAddress } from './address.js'
import { standingOf } from './shared.js'
import type { QueueStore, Size } from './store.js'

/** Sets how many permits an object has in all, if the caller knows the last resize. Waiters see it as a change of their queue. */
export async function resize(
  store: QueueStore,
  address: QueueAddress,
  { size, keepMs, version, id }: ResizeRequest,
  timeoutMs: number,
): Promise<ResizeReply> {
  const listing = await store.list(address, timeoutMs)
  const { size: before } = listing
  if (before?.id === id) return reply('resized', before)
  if ((before?.version ?? 0) !== version) return reply('superseded', before)
  const holders = standingOf(listing).holders.map(({ key }) => key)
  const set = await store.resize(address, { size, id, holders, keepMs }, version, timeoutMs)
  if (set) return reply('resized', set)
  const { size: now } = await store.list(address, timeoutMs)
  return reply(now?.id === id ? 'resized' : 'superseded', now)
}

const reply = (kind: ResizeReply['kind'], size: Size | undefined): ResizeReply => ({
  kind,
  version: size?.version ?? 0,
  size: size?.size ?? 0,
})
