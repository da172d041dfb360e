// The reference: what every engine's steps do, as functions that change a plain state and nothing else.

export { acquireMany, type RunStep } from './acquire-many.js'
export { nextToken, type Notice, type StepContext } from './hand-off.js'
export { latchKind, noLatch, settleLatch, type LatchRecord } from './latch-state.js'
export * as latchSteps from './latch-steps.js'
export type { LatchContext } from './latch-steps.js'
export { freeLock, lockKind, settle as settleLock, type Hold, type LockState } from './lock-state.js'
export * as lockSteps from './lock-steps.js'
export {
  freeShared,
  settleShared,
  sharedKind,
  type SharedHold,
  type SharedState,
  type SharedWaiting,
} from './shared-state.js'
export * as sharedSteps from './shared-steps.js'
export type { StateKind } from './state-kind.js'
export type { AnyStep, StepsOf } from './steps-of.js'
export { msUntil, type Waiting, type WaitingState } from './waiting-state.js'
