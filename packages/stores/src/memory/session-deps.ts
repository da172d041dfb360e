import type { ClientInfo } from '@holdfast/core/engine'
import type { ObjectAddress } from '../documents/index.js'
import type {
  AnyStep,
  LatchContext,
  LatchRecord,
  LockState,
  SharedState,
  StepContext,
} from '../documents/steps/index.js'
import type { MemoryOperatorDeps } from './operator.js'

/** What a session needs of its store. */
export interface SessionDeps {
  readonly isConnected: boolean
  /** Counts a step; returns whether its reply is lost. */
  count(): { readonly isReplyLost: boolean }
  /** Carries out a step on one object. */
  run<T>(address: ObjectAddress, tokenFloor: number, step: AnyStep<T>): T
  /** The same for a part of a step on several locks. */
  runLock<T>(id: string, tokenFloor: number, step: (state: LockState, context: StepContext) => T): T
  /** The same for a step that only read/write locks and semaphores have. */
  runShared<T>(
    address: ObjectAddress,
    tokenFloor: number,
    step: (state: SharedState, context: StepContext) => T,
  ): T
  /** Carries out a step on one latch. */
  runLatch<T>(id: string, step: (latch: LatchRecord, context: LatchContext) => T): T
  /** What operators' steps see and do, but for sending. */
  readonly forOperators: Omit<MemoryOperatorDeps, 'send'>
  register(clientId: string, info: ClientInfo, ttlMs: number): void
  find(clientId: string): ClientInfo | null
  readonly incarnation: string
  /** For how long the store has had its present data, milliseconds. */
  readonly uptimeMs: number
  /** Called when the session of this client has closed. */
  closed(clientId: string): void
}
