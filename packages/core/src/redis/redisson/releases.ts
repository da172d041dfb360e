import type { EngineHost } from '../../engine/host.js'
import type { Keys, Kind } from '../keys.js'
import { latchChannelOf, permitsChannelOf, readWriteChannelOf, releaseChannelOf } from './names.js'

/** How releases of one kind of object are announced among Redisson's clients. */
export interface Releases {
  /** @param main - the key of the object */
  channelOf(main: string): string
  /** Has those request again that the message concerns. Others of Redisson's messages may arrive, which mean nothing here. */
  onMessage(id: string, message: string, host: Pick<EngineHost, 'wake' | 'missed' | 'opened'>): void
}

/** What is published when a lock is free. Redisson's clients read integers, and fail at anything else. */
const freeMessage = '0'

const lockReleases: Releases = {
  channelOf: releaseChannelOf,
  onMessage: (id, message, host) => {
    if (message === freeMessage) host.wake(id)
  },
}

/** The first waiter requests; as long as permits are left, each that gets some has the next one request. */
const permitReleases: Releases = {
  channelOf: permitsChannelOf,
  onMessage: (id, message, host) => {
    if (Number(message) > 0) host.wake(id)
  },
}

/** What is published when a latch has opened. A new count, or a deleted one, is '1'. */
const openMessage = '0'

/** Of those that wait for one opening, the first one finds out for all. */
const latchReleases: Releases = {
  channelOf: latchChannelOf,
  onMessage: (id, message, host) => {
    if (message === openMessage) host.wake(id)
    else host.missed(id)
  },
}

/** '0' when the last reader has left, '1' when a writer has. After either both sides may have a chance. */
const readWriteReleases: Releases = {
  channelOf: readWriteChannelOf,
  onMessage: (id, message, host) => {
    if (message === '0' || message === '1') host.wake(id)
  },
}

const releasesByKind: Readonly<Partial<Record<Kind, Releases>>> = {
  lock: lockReleases,
  semaphore: permitReleases,
  permits: permitReleases,
  latch: latchReleases,
  'read-write-lock': readWriteReleases,
}

/** Those of the object with these keys. */
export function releasesOf({ kind, main }: Keys): Releases {
  const releases = releasesByKind[kind]
  if (!releases) throw new TypeError(`${main} belongs to an object whose releases Redisson does not announce`)
  return releases
}

/** The channel on which releases of the object with these keys are announced. */
export const channelOf = (keys: Keys): string => releasesOf(keys).channelOf(keys.main)
