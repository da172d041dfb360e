export { compareAll, type Comparison } from './compare/comparison.js'
export { comparedOwners, lockSequence, unitMs } from './compare/lock-sequences.js'
export { sharedSequence } from './compare/shared-sequences.js'
export { firstExactToken } from './compare/tokens.js'
export * from './contents.js'
export * from './explore/bounds.js'
export { contentsOf, withEndedHolds } from './explore/contents-of.js'
export {
  findsEndedHold,
  leavesTheSame,
  looksAtQueue,
  runsAgain,
  withoutFence,
} from './explore/differences.js'
export { describeExploration, explore } from './explore/explored.js'
export type { Exploration } from './explore/explorer.js'
export { clockStartUs, lastToken, ownerName, times, type Job, type Outcome } from './explore/job.js'
export type { Problem } from './explore/problem.js'
export { ownersOf, shapeOf } from './explore/shape.js'
export { nameOf, storeState, type Bounds, type StoreState } from './explore/state.js'
export { stepOf } from './explore/step-of.js'
export type { ExploredStore, Way } from './explore/way.js'
export { withMistake, type Mistake, type Replacement } from './mistake.js'
export { compareLatches } from './latch/compare-latches.js'
export {
  latchClients,
  type LatchContents,
  type LatchNotice,
  type LatchRan,
  type LatchStep,
  type LatchStore,
} from './latch/latch-step.js'
export { MemoryLatch } from './latch/memory-latch.js'
export { compareLocks } from './locks/compare-locks.js'
export { lockNames, type LocksStep, type RanOnLocks } from './locks/locks-step.js'
export { MemoryLocks } from './locks/memory-locks.js'
export type { Kind, Leftover } from './reference/kind.js'
export { lockKind } from './reference/lock-kind.js'
export { loadMachine, readSources, type Machine } from './reference/machine.js'
export { MemoryStore } from './reference/memory-store.js'
export { sharedKind } from './reference/shared-kind.js'
export type { Ran, StepStore } from './step-store.js'
export * from './step.js'
