import type { Notice } from '@holdfast/model'
import { readNotice } from '../../../src/postgres/notices.js'
import type { Inbox } from '../../../src/postgres/steps.js'

/** What an owner's client is to the store. */
export type Listening = 'subscribed' | 'lost' | 'never'

const channelOf = (owner: string): string => `holdfast:${owner}`

const numberOf = (owner: string): number => owner.charCodeAt(0)

/** The advisory lock that an owner's client holds while it is subscribed. */
export const heldKey = (owner: string): number => 1_000 + numberOf(owner)
const brokenKey = (owner: string): number => 2_000 + numberOf(owner)

/** Where an owner can be notified; nobody holds the key of one that is not subscribed. */
export function inboxOf(owner: string, listening: Listening): Inbox {
  const keys = { subscribed: heldKey(owner), lost: brokenKey(owner), never: null }
  const key = keys[listening]
  return { channel: channelOf(owner), key: key === null ? null : String(key) }
}

/** Where an owner could be notified before its client connected again. */
export const formerInboxOf = (owner: string): Inbox => ({
  channel: `${channelOf(owner)}:former`,
  key: String(3_000 + numberOf(owner)),
})

/** What owners receive. Nobody receives what goes to another channel than the owner's. */
export function noticesIn(channel: string, payload: string): Notice[] {
  const notice = readNotice(payload)
  if (notice?.kind !== 'granted' && notice?.kind !== 'revoked') {
    throw new Error(`an unexpected message: ${payload}`)
  }
  const notices: Notice[] =
    notice.kind === 'revoked'
      ? [notice]
      : notice.owners.map((each) => ({ kind: 'granted', token: notice.token, ...each }))
  return notices.filter(({ owner }) => channel === channelOf(owner))
}
