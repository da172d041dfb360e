import { Redis } from 'ioredis'
import type { Seen } from '../scenario.js'
import { onCallgrind } from './callgrind.js'
import { commandsIn } from './command-stats.js'
import { commandsPerCycle, type Recording, type Sent } from './recording.js'

type Words = Sent['words']

/**
 * Sends a recording to a new Redis, all cycles in one pipeline, and counts what it does for a cycle.
 *
 * With clients that wait for replies, the counts would include the system calls and the turns of the event loop that the
 * timing of that run happens to cause.
 */
export function replay(recording: Recording): Promise<Seen> {
  const [before, during] = [wordsIn(recording.before), wordsIn(recording.during)]
  return onCallgrind(async ({ url, instructionsBetweenEchoes }) => {
    const subscriber = new Redis(url)
    const redis = new Redis(url)
    try {
      for (const [, ...channels] of before.filter(isSubscription)) await subscriber.subscribe(...channels)
      // Errors do not matter here: the first use of a script finds that the server lacks it.
      await send(redis, before.filter(isReplayed))
      const replies = await send(redis, [
        ['CONFIG', 'RESETSTAT'],
        ['ECHO', 'begin'],
        ...during,
        ['ECHO', 'end'],
        ['INFO', 'commandstats'],
      ])
      for (const [error] of replies) if (error) throw error
      const commands = commandsIn(String(replies.at(-1)?.[1])) / recording.cycles
      assertSame(commands, commandsPerCycle(recording))
      const instructions = (await instructionsBetweenEchoes()) / recording.cycles
      return { instructionsPerCycle: instructions, commandsPerCycle: commands }
    } finally {
      redis.disconnect()
      subscriber.disconnect()
    }
  })
}

/** The replay takes another path if, for example, leases have expired or an inbox has no subscriber. */
function assertSame(replayed: number, recorded: number): void {
  if (Math.abs(replayed - recorded) <= 0.01 * recorded) return
  throw new Error(
    `Redis ran ${recorded} commands per cycle when it was recorded, and ${replayed} in the replay`,
  )
}

async function send(redis: Redis, commands: readonly Words[]): Promise<[Error | null, unknown][]> {
  const pipeline = redis.pipeline()
  for (const [name = '', ...args] of commands)
    pipeline.call(name, ...args.map((arg) => Buffer.from(arg, 'latin1')))
  return (await pipeline.exec()) ?? []
}

const wordsIn = (sent: readonly Sent[]): Words[] => sent.map(({ words }) => words)

const isSubscription = ([name = '']: Words): boolean => /^s?subscribe$/i.test(name)

/** Not what ioredis sends when it connects, which the replay's own connections do, nor the pings of subscribers. */
const isReplayed = (words: Words): boolean =>
  !isSubscription(words) && !/^(hello|client|info|ping)$/i.test(words[0] ?? '')
