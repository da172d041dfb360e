import type { FaultProxy } from '@holdfast/testkit'
import type { ClientOptions } from './client-options.js'
import type { TemplateSpec } from './template.js'

/** How one process reaches the servers: through proxies of its own. */
export interface Route {
  readonly proxies: readonly FaultProxy[]
  /** Those of them that carry nothing but notifications. */
  readonly listening: readonly FaultProxy[]
  /** The n-th lock is reached through the n-th of these, modulo their number. */
  readonly templates: readonly TemplateSpec[]
  close(): Promise<void>
}

/** What topologies of all stores have. */
export interface AnyTopology {
  /** Options of `Holdfast` that go with it. */
  readonly options: ClientOptions
  /** Opens proxies for one process. */
  route(): Promise<Route>
  /** Moves the servers' clock forward or back. Absent where that is impossible. */
  stepClock?(stepMs: number): Promise<void> | void
  /** Resolves when all servers are up and agree on their roles. */
  whenStable(): Promise<void>
  stop(): Promise<void>
}
