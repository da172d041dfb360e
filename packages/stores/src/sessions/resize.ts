import type { ResizeReply, ResizeRequest } from '@holdfast/core/engine'
import type { QueueAddress } from './address.js'
import type { StepDeps } from './deps.js'
import type { Size } from './store.js'

/** Sets how many permits an object has in all, if the caller knows the last resize. */
export async function resize(
  { sizes, store }: Pick<StepDeps, 'sizes' | 'store'>,
  address: QueueAddress,
  { size, keepMs, version, id }: ResizeRequest,
  timeoutMs: number,
): Promise<ResizeReply> {
  const { size: before } = await sizes.list(address, timeoutMs)
  if (before?.id === id) return reply('resized', before)
  if (versionOf(before) !== version) return reply('superseded', before)
  const inForce = { size: before?.size ?? null, holders: before?.holders ?? [] }
  const wanted = { size, id, keepMs, holders: [], before: inForce }
  sizes.begins(address, wanted)
  const isSet = await store.resize(address, wanted, before?.version ?? 0, timeoutMs)
  const { size: now } = await sizes.list(address, timeoutMs)
  if (now?.id === id) sizes.watchEnd(address, now)
  return reply(isSet || now?.id === id ? 'resized' : 'superseded', now)
}

const reply = (kind: ResizeReply['kind'], size: Size | undefined): ResizeReply => ({
  kind,
  version: versionOf(size),
  size: size?.size ?? 0,
})

/** 0 without a resize: also when the last one is over, and only those that held by it are listed. */
const versionOf = (size: Size | undefined): number => (size && size.size !== null ? size.version : 0)
