import type { RedisServer } from '../../server/redis-server.js'
import { until } from '../../until.js'
import { answersPing } from '../../server/answers-ping.js'
import { faultUntil, type Fault } from './fault.js'

/**
 * CLIENT PAUSE: commands wait for up to that many milliseconds, all of them or only those that may write.
 *
 * Scripts and PUBLISH count as writes. A pause of `WRITE` ends when it is healed; one of `ALL` takes its time,
 * since the server puts off CLIENT UNPAUSE as well, and `heal` resolves when it is over.
 */
export async function pauseClients(
  server: RedisServer,
  pauseMs: number,
  commands: 'ALL' | 'WRITE' = 'ALL',
): Promise<Fault> {
  await server.call('CLIENT', 'PAUSE', pauseMs, commands)
  return faultUntil(async () => {
    if (commands === 'WRITE') await server.call('CLIENT', 'UNPAUSE')
    await until(() => answersPing(server.host, server.port), {
      what: `the pause of ${server.url} to end`,
      timeoutMs: pauseMs + 10_000,
    })
  })
}
