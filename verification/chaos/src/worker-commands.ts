import type { WorkerMessage } from '@holdfast/testkit/process'
import type { ClientOptions } from './client-options.js'
import type { ProcessPlan } from './call-runner.js'
import type { ObjectName } from './objects.js'
import type { RedisLibrary } from './redis-template.js'
import type { TemplateSpec } from './template.js'

/** What the parent sends to a process of the chaos run, in this order, for every schedule. */
export type WorkerCommand =
  | {
      readonly type: 'open'
      readonly process: string
      readonly object: ObjectName
      /** The file to which it writes its events. */
      readonly history: string
      /** The n-th lock is reached through the n-th of these, modulo their number. */
      readonly templates: readonly TemplateSpec[]
      readonly library: RedisLibrary
      readonly options: ClientOptions
    }
  | {
      readonly type: 'run'
      readonly plan: ProcessPlan
      readonly locks: readonly string[]
      readonly startAtMs: number
    }
  | {
      readonly type: 'hold'
      readonly lock: number | null
      readonly count: number
    }
  | { readonly type: 'end' }

/** Whether the message is that command. Both ends are built from these types, so the name is enough. */
export function isCommand<T extends WorkerCommand['type']>(
  type: T,
  message: WorkerMessage,
): message is Extract<WorkerCommand, { readonly type: T }> & WorkerMessage {
  return message.type === type
}
