import type { EngineSession, LockEngine, Traits } from '@holdfast/core/engine'
import { QueueSession } from './session.js'
import type { OpenStore } from './store.js'

/** What makes an engine of a store. */
export interface SessionQueueOptions {
  /** Of the engine, as it appears in errors, such as `zookeeper`. */
  readonly name: string
  /** What it promises. `lease` is that of sessions, and says `of: 'session'`. */
  readonly traits: Traits
  /** Opens the store for one client. Does no I/O yet. */
  readonly open: OpenStore
}

/** Locks, read/write locks and semaphores, and latches where the store keeps them, in a store that has sessions, for `new Holdfast({ engine })`. */
export const sessionQueue = ({ name, traits, open }: SessionQueueOptions): LockEngine => ({
  name,
  traits,
  open: (host): EngineSession => new QueueSession(open, host),
})
