import type { JointReply } from '@holdfast/core/engine'
import { compareSequences, type Extent, type Seen } from '../compare/compare-sequences.js'
import type { Contents } from '../contents.js'
import type { StepStore } from '../step-store.js'
import { locksSequence } from './locks-sequences.js'
import type { LocksStep, RanOnLocks } from './locks-step.js'
import { MemoryLocks } from './memory-locks.js'

/**
 * Runs random sequences on several locks of the store and of the reference, and closes the store. Throws at the first
 * step that differs.
 */
export const compareLocks = (
  store: StepStore<LocksStep, readonly Contents[], RanOnLocks>,
  extent: Extent<LocksStep>,
): Promise<void> =>
  compareSequences(
    {
      store,
      reference: () => new MemoryLocks(),
      start: [],
      follow: async (reference, step) => ({
        ran: await reference.run(step),
        contents: await reference.read(),
      }),
      observed: (_, seen) => observed(seen),
    },
    locksSequence,
    extent,
  )

/** Who holds and who waits; the comparison of one lock looks at everything else. */
const observed = ({ ran: { reply }, contents }: Seen<readonly Contents[], RanOnLocks>): object => ({
  reply: reply.kind === 'entered' ? joint(reply) : { kind: reply.kind },
  locks: contents.map(({ holds, queue }) => ({
    holders: holds.map(({ owner }) => owner),
    waiters: queue.map(({ owner }) => owner),
  })),
})

/** How many were entered, and which was busy with whom inside. */
const joint = ({ tokens, busy }: Extract<JointReply, { kind: 'entered' }>): object => ({
  entered: tokens.length,
  busy: busy && [busy.index, busy.reply.holder],
})
