import { answersPing } from '../../server/answers-ping.js'
import type { RedisServer } from '../../server/redis-server.js'
import { until } from '../../until.js'
import { faultUntil, type Fault } from './fault.js'

const maxSleepMs = 4_000

/**
 * DEBUG SLEEP: the server does nothing at all for that many milliseconds, at most 4 000; use `freeze` for longer.
 *
 * Resolves when it sleeps. Nothing wakes it early; `heal` resolves when the sleep is over. Rejects where the server
 * does not allow the debug command.
 */
export async function sleepServer(server: RedisServer, sleepMs: number): Promise<Fault> {
  if (sleepMs > maxSleepMs) throw new RangeError(`cannot sleep for ${sleepMs} ms: ${maxSleepMs} at most`)
  // Detects a refusal, which would look below like a sleep that never begins.
  await server.call('DEBUG', 'SLEEP', 0)
  let over = false
  const mark = () => {
    over = true
  }
  // A server that is killed during its sleep counts as having slept.
  const ended = server.call('DEBUG', 'SLEEP', sleepMs / 1_000).then(mark, mark)
  await until(async () => over || !(await answersPing(server.host, server.port, 50)), {
    what: `${server.url} to sleep`,
  })
  return faultUntil(() => ended)
}
