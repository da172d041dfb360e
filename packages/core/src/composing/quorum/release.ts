import { LockLostError } from '../../errors/errors.js'
import { withTimeout } from '../../util/with-timeout.js'
import type { Ballot } from './ballot.js'

export type QuorumRelease = 'released' | 'unconfirmed' | 'not-held'

/**
 * Releases all votes at once. Resolves when a majority has confirmed it, and otherwise when all have replied or have had
 * their time; what got no reply is repeated in the background.
 *
 * @returns `not-held`: so many masters no longer counted us as the holder that there was no majority
 */
export async function releaseVotes(ballot: Ballot, memberTimeoutMs: number): Promise<QuorumRelease> {
  const given = ballot.given
  let confirmed = 0
  let denied = 0
  const replies = ballot.all.map((vote) => (given.includes(vote) ? vote.release() : vote.giveBack()))
  await withTimeout(
    new Promise<void>((resolve) => {
      let open = given.length
      const settled = (): void => {
        open--
        if (confirmed >= ballot.quorum || open === 0) resolve()
      }
      for (const reply of replies) {
        reply?.then(
          (isConfirmed) => {
            if (isConfirmed) confirmed++
            settled()
          },
          (error: unknown) => {
            if (error instanceof LockLostError) denied++
            settled()
          },
        )
      }
      if (given.length === 0) resolve()
    }),
    memberTimeoutMs,
  )
  if (confirmed >= ballot.quorum) return 'released'
  return given.length - denied < ballot.quorum ? 'not-held' : 'unconfirmed'
}
