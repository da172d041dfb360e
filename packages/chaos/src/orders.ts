import type { WorkerMessage } from '@holdfast/testkit'
import type { ClientOptions } from './client-options.js'
import type { PlannedCall } from './schedule.js'
import type { TemplateSpec } from './template.js'

/** What a process of the chaos run is told, in this order, for every schedule. */
export type Order =
  | {
      readonly type: 'open'
      readonly process: string
      /** The file that takes its events. */
      readonly history: string
      /** The n-th lock is reached through the n-th of these, modulo their number. */
      readonly templates: readonly TemplateSpec[]
      readonly options: ClientOptions
    }
  | {
      readonly type: 'play'
      readonly calls: readonly PlannedCall[]
      readonly locks: readonly string[]
      readonly startAtMs: number
    }
  | { readonly type: 'take'; readonly lock: number | null; readonly count: number }
  | { readonly type: 'end' }

/** Whether the message is that order. Both ends are built from these types, so the name says it all. */
export function isOrder<T extends Order['type']>(
  type: T,
  message: WorkerMessage,
): message is Extract<Order, { readonly type: T }> & WorkerMessage {
  return message.type === type
}
