import type { ReportFailure } from '../connection/connection.js'
import { addressText, mapped } from '../link/address-map.js'
import { ReplyError, toError } from '../link/errors.js'
import type { NodeRedisClient } from '../link/given-client.js'
import type { Link, LinkSettings, LinkTarget } from '../link/link.js'
import { requestOnce } from '../link/request-once.js'
import type { NodeRedisSentinelOptions } from './options.js'

/** Asks one Sentinel after another where the master is. */
export async function findMaster(
  template: NodeRedisClient,
  given: NodeRedisSentinelOptions,
  settings: LinkSettings,
  report: ReportFailure,
  signal: AbortSignal,
): Promise<LinkTarget> {
  const {
    name,
    sentinelRootNodes,
    sentinelClientOptions = {},
    nodeClientOptions = {},
    nodeAddressMap,
  } = given
  let lastNodeError = new Error('there are no Sentinels')
  for (const address of sentinelRootNodes) {
    try {
      const sentinel = { template, options: sentinelClientOptions, address }
      const words = ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name]
      const reply = await requestOnce(sentinel, settings, words, signal)
      if (!Array.isArray(reply)) throw new Error('no such master is known')
      const reported = { host: String(reply[0]), port: Number(reply[1]) }
      return { template, options: nodeClientOptions, address: mapped(reported, nodeAddressMap) }
    } catch (thrown) {
      lastNodeError = toError(thrown)
      if (signal.aborted) break
      report(lastNodeError, addressText(address))
    }
  }
  throw Object.assign(new Error('no Sentinel led to the master'), { lastNodeError })
}

/** Sentinels may still name the old master when it has come back as a replica. */
export async function checkIsMaster(link: Link): Promise<void> {
  const role = await link.send(['ROLE']).catch((error: unknown) => {
    // A user without this permission is told by the first write.
    if (error instanceof ReplyError && error.code === 'NOPERM') return ['master']
    throw error
  })
  if (!Array.isArray(role) || role[0] !== 'master')
    throw new Error('the Sentinels name a server that is not a master (yet)')
}
