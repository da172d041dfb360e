import type { Events } from '../../events.js'
import type { Target } from '../../ownership/target.js'
import type { Vote, VoteDeps } from './vote.js'

/** Whom the votes report to: first the acquisition, then the hold. */
export interface VoteKeeper {
  readonly isRenewed: boolean
  readonly limitAt: number
  changed(vote: Vote): void
  renewed(): void
}

/** What the votes of one acquisition share, wherever they are kept at the time. */
export interface KeptVoteDeps {
  readonly target: Target
  readonly n: number
  readonly events: Pick<Events, 'emitError'>
  keeper(): VoteKeeper
  waiting(holder: string, position: number): void
  granted(): void
  background(work: Promise<unknown>): void
}

/** Votes that report to the one that keeps them. */
export function reportingTo({ target, n, events, ...deps }: KeptVoteDeps): VoteDeps {
  return {
    target,
    n,
    terms: {
      get isRenewed() {
        return deps.keeper().isRenewed
      },
      get limitAt() {
        return deps.keeper().limitAt
      },
    },
    changed: (vote) => {
      deps.keeper().changed(vote)
    },
    renewed: () => {
      deps.keeper().renewed()
    },
    waiting: (holder, position) => {
      deps.waiting(holder, position)
    },
    granted: () => {
      deps.granted()
    },
    background: (work) => {
      deps.background(work)
    },
    emitError: (error) => {
      events.emitError(error)
    },
  }
}
