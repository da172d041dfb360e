import { countCommands } from '@holdfast/testkit'
import type { Pace } from './tasks/cycles.js'

/** What ioredis says when a connection opens. */
const greetings: ReadonlySet<string> = new Set(['hello', 'info', 'client'])
/** Idle connections of Redisson say PING now and then, all of a process at once. */
export const greetingsAndPings: ReadonlySet<string> = new Set([...greetings, 'ping'])

/**
 * How many commands clients send per cycle while that runs; calls inside scripts do not count.
 * A server that shows its commands is slower, so nothing that runs here should be timed.
 */
export async function commandsPerCycle(
  url: string,
  run: () => Promise<Pace>,
  ignored: ReadonlySet<string> = greetings,
): Promise<number> {
  const { value, counts } = await countCommands(url, run)
  let sent = 0
  for (const [command, times] of counts) if (!ignored.has(command)) sent += times
  return sent / value.cycles
}
