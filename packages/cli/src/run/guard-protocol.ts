import type { StopPlan } from './stop-plan.js'

/** Whom the guard signals: a process group, or one process and what descends from it. */
export interface Watched {
  readonly pid: number
  readonly isGroup: boolean
}

/** What the runner writes to the guard, a line of JSON each. When its end of the pipe closes, the runner is gone. */
export type Order =
  /** A command with this owner in its environment is about to start. */
  | { readonly type: 'starting'; readonly owner: string }
  | { readonly type: 'watch'; readonly command: Watched }
  | UntilOrder
  /** The command has ended. */
  | { readonly type: 'done' }

/** The plan from now on. */
export interface UntilOrder {
  readonly type: 'until'
  readonly plan: StopPlan
  readonly graceMs: number
}

/** What the guard writes to the runner: it has started, what it has sent to the command, or that SIGKILL was denied. */
export type Report = 'ready' | 'term' | 'kill' | 'denied'
