import type { Notice } from '@holdfast/model'
import { clientInboxOf } from '../../src/redis/keys.js'
import { readNotice } from '../../src/redis/notices.js'

/** The channel of an owner's client, or the one that stands for it while the client is not subscribed. */
export const inboxOf = (owner: string, isUnsubscribed: boolean): string =>
  isUnsubscribed ? `${clientInboxOf(owner)}:lost` : clientInboxOf(owner)

/** Reads a message that a script published, which may notify several owners. */
export function noticesIn(text: string): Notice[] {
  const notice = readNotice(text)
  switch (notice?.kind) {
    case 'granted': {
      const { kind, owner, token, leaseMs, proof } = notice
      return [{ kind, owner, token, leaseMs, proof }]
    }
    case 'entered': {
      const { owners, token } = notice
      return owners.map(({ owner, leaseMs, proof }) => ({ kind: 'granted', owner, token, leaseMs, proof }))
    }
    case 'revoked':
      return [{ kind: 'revoked', owner: notice.owner }]
    default:
      throw new Error(`an unexpected message: ${text}`)
  }
}
