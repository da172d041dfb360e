import { LockLostError } from '../../errors.js'
import { withTimeout } from '../../util/with-timeout.js'
import type { Votes } from './votes.js'

export type QuorumRelease = 'released' | 'unconfirmed' | 'not-held'

/**
 * Releases all votes at once. Resolves when a majority has confirmed it, and otherwise when all have replied or have had
 * their time; what got no reply is repeated in the background.
 *
 * @returns `not-held`: so many masters no longer counted us as the holder that there was no majority
 */
export async function releaseVotes(votes: Votes, memberTimeoutMs: number): Promise<QuorumRelease> {
  const given = votes.given
  let confirmed = 0
  let denied = 0
  const replies = votes.all.map((vote) => (given.includes(vote) ? vote.release() : vote.giveBack()))
  await withTimeout(
    new Promise<void>((resolve) => {
      let open = given.length
      const settled = (): void => {
        open--
        if (confirmed >= votes.quorum || open === 0) resolve()
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
  if (confirmed >= votes.quorum) return 'released'
  return given.length - denied < votes.quorum ? 'not-held' : 'unconfirmed'
}
