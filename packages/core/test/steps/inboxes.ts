import type { Notice } from '@holdfast/model'
import { clientInboxOf } from '../../src/redis/keys.js'
import { heard } from '../support/heard.js'

/** The channel of an owner's client, or the one that stands for it while the client is not subscribed. */
export const inboxOf = (owner: string, isUnsubscribed: boolean): string =>
  isUnsubscribed ? `${clientInboxOf(owner)}:lost` : clientInboxOf(owner)

/** Reads a message that a script published, which may notify several owners. */
export const noticesIn = (text: string): Notice[] =>
  heard(text).map((notice): Notice => {
    if (notice[0] === 'revoked') return { kind: 'revoked', owner: notice[1] }
    if (notice[0] !== 'granted') throw new Error(`an unexpected message: ${text}`)
    const [kind, , owner, { token, leaseMs, proof }] = notice
    return { kind, owner, token, leaseMs, proof }
  })
