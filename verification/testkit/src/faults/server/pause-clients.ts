import type { RedisServer } from '../../server/redis-server.js'
import { until } from '../../until.js'
import { answersPing } from '../../server/answers-ping.js'
import { faultUntil, type Fault } from './fault.js'

/**
 * CLIENT PAUSE: commands wait for up to that many milliseconds, either all or only those that may write.
 *
 * Scripts and PUBLISH count as writes. `heal` ends a pause of `WRITE` at once; one of `ALL` cannot be shortened,
 * since the server delays CLIENT UNPAUSE too, so `heal` resolves when it is over.
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
