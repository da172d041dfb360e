import type {
  Awaited,
  CountDownRequest,
  LatchDeleteRequest,
  LatchInspection,
  LatchReply,
  LatchSetRequest,
  LatchWaitReply,
  NotALockReply,
} from '@holdfast/core/engine'
import type { Ran, StepStore } from '../step-store.js'

/** A step on one latch, in the words of the port, or what happens besides. */
export type LatchStep =
  /** `incarnation`: of the store that carries it out. */
  | ({ readonly kind: 'set'; readonly incarnation: string } & LatchSetRequest)
  | ({ readonly kind: 'count down' } & CountDownRequest)
  | ({ readonly kind: 'delete' } & LatchDeleteRequest)
  | {
      readonly kind: 'wait'
      readonly clientId: string
      readonly awaited: Awaited | undefined
      readonly aliveMs: number
    }
  | { readonly kind: 'pass'; readonly ms: number }

export interface LatchNotice {
  readonly clientId: string
  readonly kind: 'open' | 'gone'
  readonly generation: number
}

/** `null`: a step that has no reply. */
export type LatchRan = Ran<LatchReply | LatchWaitReply | NotALockReply | null, LatchNotice>

export type LatchContents = LatchInspection

/** One latch in a store. */
export interface LatchStore extends Omit<StepStore<LatchStep, LatchContents, LatchRan>, 'restore'> {
  /** Puts a latch of which nothing is known in its place. */
  forget(): Promise<void>
}

export const latchClients = ['A', 'B', 'C'] as const
