import type { NodeRedisClient } from './given-client.js'

const known = new WeakMap<NodeRedisClient, boolean>()

/**
 * Whether clients like this one speak RESP3 unless `RESP` says otherwise: version 6 does, 5 does not. They refuse a cache that needs
 * RESP3 accordingly.
 */
export function speaksResp3(template: NodeRedisClient): boolean {
  let result = known.get(template)
  if (result === undefined) known.set(template, (result = acceptsCache(template)))
  return result
}

function acceptsCache(template: NodeRedisClient): boolean {
  let probe
  try {
    probe = template.duplicate({ RESP: undefined, clientSideCache: {}, maintNotifications: 'disabled' })
  } catch {
    return false
  }
  try {
    probe.destroy()
  } catch {
    // It was not connected, which 6.0 throws for (6.3 does not).
  }
  return true
}
