import type { Inbox } from '../../src/steps.js'
import { ownerName } from '../../../core/test/model/job.js'
import type { Way } from './table-store.js'

const channelOf = (owner: number): string => `holdfast:${ownerName(owner)}`

/** The advisory locks that the runner holds, as clients that are subscribed would. */
export const heldKey = (owner: number): number => 1_000 + owner
const brokenKey = (owner: number): number => 2_000 + owner

/** Where an owner can be notified; nobody holds the key of one that is not subscribed. */
export const inboxOf = (owner: number, isSubscribed: boolean, { hasNoKeys = false }: Way): Inbox => {
  const key = isSubscribed ? heldKey(owner) : hasNoKeys ? null : brokenKey(owner)
  return { channel: channelOf(owner), key: key === null ? null : String(key) }
}

/** What the queue entry of an owner has, and its notification has to repeat. */
export const proofOf = (owner: number): string => `proof-${owner}`
export const formerProofOf = (owner: number): string => `former-${owner}`

/** Where an owner could be notified before its client connected again. */
export const formerInboxOf = (owner: number): Inbox => ({
  channel: `${channelOf(owner)}:former`,
  key: String(3_000 + owner),
})
