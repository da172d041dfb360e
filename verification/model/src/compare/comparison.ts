import type fc from 'fast-check'
import { nothing, type Contents } from '../contents.js'
import type { Ran, StepStore } from '../step-store.js'
import type { Step } from '../step.js'
import { compareSequences, type Extent, type Seen } from './compare-sequences.js'

/** A store, and what it is compared with. */
export interface Comparison {
  readonly store: StepStore
  /** A new object of the reference. */
  readonly reference: () => StepStore
  /** Whether its queue may live longer than that of the reference, once waiters were passed over. */
  readonly keepsQueueLonger?: boolean
  /** Whether it may take holds that have ended for live ones as long as nobody has noticed. */
  readonly missesEnds?: boolean
}

/** Compares a lock, read/write lock or semaphore with the reference. */
export const compareAll = (
  { store, reference, keepsQueueLonger = false, missesEnds = false }: Comparison,
  sequence: fc.Arbitrary<readonly Step[]>,
  extent: Extent<Step>,
): Promise<void> =>
  compareSequences(
    {
      store,
      reference,
      start: nothing,
      follow: (of, step, seen) => follow(of, step, keepsQueueLonger ? seen.contents.queueMs : 0),
      observed: (step, seen, { ended }) => observed(step, seen, missesEnds ? ended : []),
    },
    sequence,
    extent,
  )

/** @param queueMs - how long the queue of the store lives; where that may be longer, the one of the reference then does */
async function follow(reference: StepStore, step: Step, queueMs: number): Promise<Seen<Contents, Ran>> {
  const ran = await reference.run(step)
  const contents = await reference.read()
  if (queueMs <= contents.queueMs || !mayHavePassedOver(contents)) return { ran, contents }
  const adopted = { ...contents, queueMs }
  await reference.restore(adopted)
  return { ran, contents: adopted }
}

const mayHavePassedOver = ({ queue, unsubscribed, resized }: Contents): boolean =>
  queue.some(({ owner, want, size }) => unsubscribed.includes(owner) || want > (resized?.size ?? size))

/** Notices of one step reach several clients in any order. */
const observed = (step: Step, { ran, contents }: Seen<Contents, Ran>, ended: Contents['ended']): object => ({
  reply: replySeen(step, ran.reply, ended),
  notices: [...ran.notices].sort((a, b) => (a.owner < b.owner ? -1 : 1)),
  contents,
})

/** @param ended - holds that had ended and that no step had dropped yet */
function replySeen(step: Step, reply: Ran['reply'], ended: Contents['ended']): object {
  // One that enters a lock again need not be told its token.
  if (step.kind === 'acquire' && step.size === undefined && step.count > 1) return { kind: reply.kind }
  // Whoever waits is to request now, because of a hold that has ended.
  if (step.kind === 'refresh' && ended.length > 0) return { kind: reply.kind }
  // A release that looks at no clock does not know that its hold had ended: nobody else has noticed either.
  const isEnded = step.kind === 'release' && ended.some(({ owner }) => owner === step.owner)
  return isEnded && step.count === 0 ? {} : reply
}
