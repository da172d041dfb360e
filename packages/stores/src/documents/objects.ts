import { clientOf, type EngineHost, type NotALockReply } from '@holdfast/core/engine'
import type { ObjectAddress } from './address.js'
import { dropGone, type Claimed } from './claims.js'
import type { Documents } from './documents.js'
import { holdsLock, holdsPermits, type WrittenLock, type WrittenShared } from './kinds.js'
import type { Opened } from './step.js'
import {
  lockSteps,
  sharedSteps,
  type LockState,
  type Notice,
  type SharedState,
  type StepContext,
  type StepsOf,
  type WaitingState,
} from './steps/index.js'

/** What a step on a lock, read/write lock or semaphore has. */
export interface StepOn<State extends WaitingState> {
  readonly steps: StepsOf<State>
  readonly content: Claimed<State>
  readonly opened: Opened<Claimed<State>>
  readonly context: StepContext
  /** Whether it holds now. */
  readonly holds: (owner: string) => boolean
}

/** A step on an object of either kind. */
export type AnyStep<T> = <State extends WaitingState>(on: StepOn<State>) => T

/** What the documents of objects with a queue need of their session. */
export interface ObjectsDeps {
  readonly host: Pick<EngineHost, 'clientId' | 'wake' | 'revoked'>
  readonly locks: Documents<Claimed<LockState>, WrittenLock>
  readonly shared: Documents<Claimed<SharedState>, WrittenShared>
}

/** Runs the pure steps on documents, and keeps account of who was let in without knowing. */
export class Objects {
  readonly #deps: ObjectsDeps

  constructor(deps: ObjectsDeps) {
    this.#deps = deps
  }

  run<T>(
    address: ObjectAddress,
    timeoutMs: number,
    tokenFloor: number,
    step: AnyStep<T>,
  ): Promise<T | NotALockReply> {
    const { locks, shared } = this.#deps
    return address.kind === 'shared'
      ? shared.change(address, timeoutMs, (opened) =>
          this.#on(address, opened, sharedSteps, holdsPermits, tokenFloor, step),
        )
      : locks.change(address, timeoutMs, (opened) =>
          this.#on(address, opened, lockSteps, holdsLock, tokenFloor, step),
        )
  }

  /** The same for a step that only locks have. */
  runLock<T>(
    address: ObjectAddress,
    timeoutMs: number,
    tokenFloor: number,
    step: (state: LockState, context: StepContext) => T,
  ): Promise<T | NotALockReply> {
    return this.#deps.locks.change(address, timeoutMs, (opened) =>
      this.#on(address, opened, lockSteps, holdsLock, tokenFloor, ({ context }) =>
        step(opened.content.state, context),
      ),
    )
  }

  /** The same for a step that only read/write locks and semaphores have. */
  runShared<T>(
    address: ObjectAddress,
    timeoutMs: number,
    tokenFloor: number,
    step: (state: SharedState, context: StepContext) => T,
  ): Promise<T | NotALockReply> {
    return this.#deps.shared.change(address, timeoutMs, (opened) =>
      this.#on(address, opened, sharedSteps, holdsPermits, tokenFloor, ({ context }) =>
        step(opened.content.state, context),
      ),
    )
  }

  #on<State extends WaitingState, T>(
    { id }: ObjectAddress,
    opened: Opened<Claimed<State>>,
    steps: StepsOf<State>,
    holdsIn: (state: State, owner: string) => boolean,
    tokenFloor: number,
    step: (on: StepOn<State>) => T,
  ): T {
    const { content, nowUs, opensInMs, afterwards } = opened
    const holds = (owner: string): boolean => holdsIn(content.state, owner)
    const context: StepContext = {
      nowUs,
      tokenFloor,
      // While the store is closed nobody is let in. Otherwise all look again before long.
      isSubscribed: () => opensInMs === 0,
      notify: (notice) => {
        if (notice.kind === 'granted') content.unclaimed.add(notice.owner)
        if (clientOf(notice.owner) === this.#deps.host.clientId) afterwards(() => this.#tellOwn(id, notice))
      },
    }
    const result = step({ steps, content, opened, context, holds })
    dropGone(content, holds)
    return result
  }

  /** An owner of this very client need not look again to learn of it. */
  #tellOwn(id: string, { kind, owner }: Notice): void {
    if (kind === 'granted') this.#deps.host.wake(id, owner)
    else this.#deps.host.revoked(owner)
  }
}
