import type { Database } from './database.js'
import type { Reply } from './reply.js'

/** What commands are carried out with. */
export interface CommandContext {
  readonly database: Database
  /** Since the epoch, whole. */
  readonly nowMs: number
  readonly nowUs: number
  readonly random: () => number
  readonly info: (section: string) => string
  /** How many subscribers there are. */
  readonly subscribers: (channel: string) => number
  readonly channels: () => readonly string[]
  readonly publish: (channel: string, message: string) => number
}

export interface Command {
  readonly run: (context: CommandContext, ...args: string[]) => Reply
  readonly writes?: true
  /** It may need memory. */
  readonly grows?: true
}
