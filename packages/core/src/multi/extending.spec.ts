import { LockLostError, UnavailableError } from '../errors/errors.js'
import type { RenewalReply } from '../engine/requests.js'
import { extendGroup } from './member.js'

const lost = new LockLostError('gone', { lockName: 'x', owner: 'c:1', reason: 'not-held' })
const unknown = new UnavailableError('no reply')

/** Extends holds that get these replies. Resolves with the error, and with which of them learnt that they were extended. */
async function extendWith(replies: readonly RenewalReply[]) {
  const extended: number[] = []
  const holds = replies.map((_, i) => ({
    extension: () => ({
      renewal: { address: { name: 'x', id: 'x', group: '' }, owner: `c:${i}`, leaseMs: 1 },
      settle: (reply: RenewalReply | undefined) => {
        if (reply === 'not-held') throw lost
        if (reply === 'no-reply') throw unknown
        extended.push(i)
      },
    }),
  }))
  const steps = { renew: () => Promise.resolve(replies) }
  const error = await extendGroup(steps, holds, 1, 1).catch((thrown: unknown) => thrown)
  return { error, extended }
}

it('a renewal without a reply fails the call, and the others are extended all the same', async () => {
  expect(await extendWith(['renewed', 'no-reply', 'renewed'])).toEqual({ error: unknown, extended: [0, 2] })
})

it('a loss is reported before a renewal without a reply', async () => {
  expect(await extendWith(['no-reply', 'not-held', 'renewed'])).toEqual({ error: lost, extended: [2] })
})

it('nothing is thrown when all are extended', async () => {
  expect(await extendWith(['renewed', 'renewed'])).toEqual({ error: undefined, extended: [0, 1] })
})
