import type { RedisServer } from '../../server/redis-server.js'
import { withRedis } from '../../server/with-redis.js'
import { until } from '../../until.js'
import { callInline } from './call-inline.js'
import { faultUntil, type Fault } from './fault.js'
import { setConfig } from './set-config.js'

/**
 * A script that never ends: all other commands fail with BUSY.
 *
 * Resolves once they do; `heal` kills the script. It writes nothing, as otherwise it could not be killed.
 */
export async function runBusyScript(server: RedisServer): Promise<Fault> {
  // The older name of the parameter, which newer servers accept too.
  const restore = await setConfig(server, { 'lua-time-limit': 1 })
  const running = withRedis(server.url, (redis) => redis.eval('while true do end', 0))
  // It ends with an error in any case: killed, or disconnected.
  const ended = running.catch(() => undefined)
  await until(async () => (await callInline(server, 'PING')).startsWith('-BUSY'), {
    what: `${server.url} to be busy`,
  })
  return faultUntil(async () => {
    await callInline(server, 'SCRIPT KILL')
    await until(async () => (await callInline(server, 'PING')) === '+PONG', {
      what: `the busy script of ${server.url} to end`,
    })
    await ended
    await restore()
  })
}
