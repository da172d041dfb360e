import { uniqueName, type OpenedRedis } from '@holdfast/testkit'
import { Redis } from 'ioredis'
import { constants } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { Cleanup, type Step } from './cleanup.js'
import { openAnyRedis } from './open-any-redis.js'
import { removeKeys } from './remove-keys.js'

/** Shorter than the patience of whoever sent the signal. */
const cleanupMs = 8_000
/** Ctrl-C also ends our children and servers, and their end may be heard before the signal that tells why. */
const sameKeystrokeMs = 100

/** What an example gets to work with. */
export interface Stage {
  /** Connected. Its key prefix is this run's own, and Holdfast takes it over from this client. */
  readonly redis: Redis
  readonly url: string
  readonly keyPrefix: string
  /** Adds something to undo at the end, also when that comes by Ctrl-C. */
  readonly defer: (step: Step) => void
}

/**
 * Runs one example on the first Redis it can find or start, and leaves nothing behind: no key, no server, no process.
 *
 * The process ends as with {@link runStory}.
 */
export async function runExample(name: string, story: (stage: Stage) => Promise<void>): Promise<void> {
  await runStory((defer) => playOn(openAnyRedis(), name, story, defer))
}

/**
 * Runs one example that brings its own servers, and undoes what it defers.
 *
 * The process ends with 0, with 1 when the story throws, with 128 + n when signal n ended it.
 */
export async function runStory(story: (defer: Stage['defer']) => Promise<void>): Promise<void> {
  const cleanup = new Cleanup()
  const playing = story((step) => {
    cleanup.defer(step)
  }).then(
    () => ({ exitCode: 0, words: '' }),
    async (error: unknown) => {
      await delay(sameKeystrokeMs)
      return { exitCode: 1, words: error instanceof Error ? error.message : String(error) }
    },
  )
  const { exitCode, words } = await Promise.race([
    playing,
    // What the story says from here on comes of its end under way, and interests nobody.
    nextSignal().then((signal) => ({ exitCode: 128 + constants.signals[signal], words: '\nStopping …' })),
  ])
  if (words) console.error(words)
  await cleanup.run(cleanupMs)
  // After a good end nothing is open any more; after another the story may be anywhere.
  if (exitCode !== 0) process.exit(exitCode)
}

/** Resolves with the first signal to end; later ones change nothing, since the end is under way then. */
function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve)
  })
}

/** Runs a story on a server that is being opened. */
export async function playOn(
  opening: Promise<OpenedRedis>,
  name: string,
  story: (stage: Stage) => Promise<void>,
  defer: Stage['defer'],
): Promise<void> {
  defer(async () => (await opening).stop())
  const { url, origin } = await opening
  // The braces keep all keys of a run in one slot, and at the beginning of every key.
  const keyPrefix = `{${uniqueName(name)}}:`
  defer(() => removeKeys(url, keyPrefix))
  console.log(`Redis: ${origin}\n`)
  const redis = new Redis(url, { keyPrefix })
  // A failure also rejects the command that met it.
  redis.on('error', () => undefined)
  defer(() => {
    redis.disconnect()
  })
  await story({ redis, url, keyPrefix, defer })
}
