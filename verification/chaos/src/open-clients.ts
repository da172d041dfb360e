import { Holdfast, HoldfastQuorum } from '@holdfast/core'
import type { ClientOptions } from './client-options.js'
import type { ObjectName } from './objects.js'
import { isRedis } from './redis-template.js'
import type { Template } from './template.js'

/** What a process makes its calls through. */
export type ChaosClient = Holdfast | HoldfastQuorum

/** One client for each template, or one for all of them: the masters of a quorum. */
export function openClients(
  object: ObjectName,
  templates: readonly Template[],
  { commandTimeoutMs, ...options }: ClientOptions,
): ChaosClient[] {
  if (object === 'quorum') {
    const masters = templates.filter(isRedis)
    return [new HoldfastQuorum({ ...options, memberTimeoutMs: commandTimeoutMs, masters })]
  }
  return templates.map((template) => {
    const store = isRedis(template) ? { redis: template } : { engine: template }
    return new Holdfast({ ...options, commandTimeoutMs, ...store })
  })
}
