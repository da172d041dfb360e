import { Holdfast, HoldfastQuorum, type HoldfastOptions } from '@holdfast/core'
import type { ClientOptions } from './client-options.js'
import type { ObjectName } from './objects.js'

/** What a process makes its calls through. */
export type ChaosClient = Holdfast | HoldfastQuorum

/** One client for each template, or one for all of them: the masters of a quorum. */
export function openClients(
  object: ObjectName,
  templates: readonly HoldfastOptions['redis'][],
  { commandTimeoutMs, ...options }: ClientOptions,
): ChaosClient[] {
  if (object !== 'quorum')
    return templates.map((redis) => new Holdfast({ ...options, commandTimeoutMs, redis }))
  return [new HoldfastQuorum({ ...options, memberTimeoutMs: commandTimeoutMs, masters: templates })]
}
