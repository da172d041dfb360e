import type { Excuse } from '@holdfast/testkit'
import type { SimProcess, SimServer } from './cast.js'

/** Whom a fault hits. */
export interface Struck {
  readonly process: SimProcess
  readonly server: SimServer
  /** Of its links the one to that server. */
  readonly link: SimProcess['links'][number]
  /** Those of all processes to that server. */
  readonly links: readonly Struck['link'][]
  readonly forMs: number
  /** The process is dead, and, if it is to, another one goes on. */
  readonly kill: (goesOn: boolean) => void
  /** An operator evicts all holders. */
  readonly evict: () => void
}

export interface FaultKind {
  /** Whose waiters may lose their turn. */
  readonly disturbs: 'none' | 'target' | 'all'
  readonly excuses?: readonly Excuse[]
  /** By how much it lasts longer than planned. */
  readonly longerMs?: number
  /** It is one of a store, of which a quorum has several. */
  readonly hitsServer?: true
  /** Of one store of several, too, which hands out larger tokens from then on. */
  readonly movesClock?: true
  /** Returns what heals it, unless it is over at once. */
  readonly inject: (struck: Struck) => (() => void) | undefined
}
