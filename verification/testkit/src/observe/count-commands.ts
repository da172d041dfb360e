import { createHash, randomBytes } from 'node:crypto'
import { withRedis } from '../server/with-redis.js'
import { until } from '../until.js'
import { Monitor, type MonitoredCommand } from './monitor.js'

export interface CountedCommands<T> {
  /** What the callback returned. */
  readonly value: T
  /**
   * Commands by name in lower case (`set`), scripts by name and SHA-1 (`evalsha:<sha>`, `eval:<sha>`).
   *
   * Includes the handshake of connections opened during the callback (`hello`, `info`, `client`).
   */
  readonly counts: ReadonlyMap<string, number>
}

/** Counts the commands that clients send to that server while the callback runs; calls inside scripts do not count. */
export async function countCommands<T>(url: string, during: () => Promise<T>): Promise<CountedCommands<T>> {
  return withRedis(url, async (redis) => {
    const marker = randomBytes(16).toString('hex')
    const counts = new Map<string, number>()
    let ended = false
    const monitor = await Monitor.open(url, (command) => {
      if (command.words[1] === marker) ended = true
      if (ended || command.source === 'lua') return
      const name = countedName(command)
      counts.set(name, (counts.get(name) ?? 0) + 1)
    })
    try {
      const value = await during()
      // MONITOR shows commands in the order of execution, so after this one none is outstanding.
      await redis.echo(marker)
      await until(() => ended, { what: 'MONITOR to show the last command' })
      return { value, counts }
    } finally {
      await monitor.close()
    }
  })
}

function countedName({ words: [command = '', script = ''] }: MonitoredCommand): string {
  const name = command.toLowerCase()
  if (name === 'evalsha') return `evalsha:${script.toLowerCase()}`
  if (name === 'eval') return `eval:${createHash('sha1').update(script, 'latin1').digest('hex')}`
  return name
}
