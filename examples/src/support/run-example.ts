import { uniqueName } from '@holdfast/testkit'
import { Redis } from 'ioredis'
import { constants } from 'node:os'
import { Cleanup } from './cleanup.js'
import { openAnyRedis } from './open-any-redis.js'
import { removeKeys } from './remove-keys.js'

/** Shorter than the patience of whoever sent the signal. */
const cleanupMs = 8_000

/** What an example gets to work with. */
export interface Stage {
  /** Connected. Its key prefix is this run's own, and Holdfast takes it over from this client. */
  readonly redis: Redis
  readonly url: string
  readonly keyPrefix: string
  /** Adds something to undo at the end, also when that comes by Ctrl-C. */
  readonly defer: (step: () => Promise<unknown>) => void
}

/**
 * Runs one example on the first Redis it can find or start, and leaves nothing behind: no key, no server, no process.
 *
 * The process ends with 0, with 1 when the story throws, with 128 + n when signal n ended it.
 */
export async function runExample(name: string, story: (stage: Stage) => Promise<void>): Promise<void> {
  const cleanup = new Cleanup()
  const ending = await Promise.race([
    nextSignal(),
    play(name, story, cleanup).catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : error)
      return 1
    }),
  ])
  if (typeof ending === 'string') console.error('\nStopping …')
  await cleanup.run(cleanupMs)
  // After a normal end nothing is open any more; otherwise the story may be anywhere.
  if (typeof ending === 'string') process.exit(128 + constants.signals[ending])
  if (ending === 1) process.exit(1)
}

/** Resolves with the first signal to end; later ones change nothing, since the end is under way then. */
function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve)
  })
}

async function play(name: string, story: (stage: Stage) => Promise<void>, cleanup: Cleanup): Promise<void> {
  const opening = openAnyRedis()
  cleanup.defer(async () => (await opening).stop())
  const { url, origin } = await opening
  console.log(`Redis: ${origin}\n`)

  // The braces keep all keys of a run in one slot, and at the beginning of every key.
  const keyPrefix = `{${uniqueName(name)}}:`
  cleanup.defer(() => removeKeys(url, keyPrefix))
  const redis = new Redis(url, { keyPrefix })
  // A failure also rejects the command that met it.
  redis.on('error', () => undefined)
  cleanup.defer(async () => redis.quit().finally(() => redis.disconnect()))
  await story({
    redis,
    url,
    keyPrefix,
    defer: (step) => {
      cleanup.defer(step)
    },
  })
}
