import { uniqueName, type OpenedRedis } from '@holdfast/testkit'
import { Redis } from 'ioredis'
import { constants } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { Cleanup, type Step } from './cleanup.js'
import { openAnyRedis } from './open-any-redis.js'
import { removeKeys } from './remove-keys.js'

/** Shorter than the time after which the sender of a signal would kill us. */
const cleanupMs = 8_000
/** Ctrl-C also ends our children and servers, whose exit may be reported before our own signal. */
const sameKeystrokeMs = 100

/** What an example runs with. */
export interface ExampleContext {
  /** A connected client. Its key prefix is unique to this run, and Holdfast adopts it from this client. */
  readonly redis: Redis
  readonly url: string
  readonly keyPrefix: string
  /** Adds a clean-up step for the end of the run, also after Ctrl-C. */
  readonly defer: (step: Step) => void
}

/**
 * Runs one example on the first Redis it can find or start, and leaves nothing behind: no key, no server, no process.
 *
 * The process exits as with {@link runProgram}.
 */
export async function runExample(
  name: string,
  main: (context: ExampleContext) => Promise<void>,
): Promise<void> {
  await runProgram((defer) => withRedis(openAnyRedis(), name, main, defer))
}

/**
 * Runs an example that starts its own servers, and then the clean-up that it defers.
 *
 * The process exits with 0, with 1 if `main` throws, with 128 + n if signal n ended it.
 */
export async function runProgram(main: (defer: ExampleContext['defer']) => Promise<void>): Promise<void> {
  const cleanup = new Cleanup()
  const running = main((step) => cleanup.defer(step)).then(
    () => ({ exitCode: 0, message: '' }),
    async (error: unknown) => {
      await delay(sameKeystrokeMs)
      return { exitCode: 1, message: error instanceof Error ? error.message : String(error) }
    },
  )
  const { exitCode, message } = await Promise.race([
    running,
    // Later errors of `main` are consequences of its interruption, and are not reported.
    nextSignal().then((signal) => ({ exitCode: 128 + constants.signals[signal], message: '\nStopping …' })),
  ])
  if (message) console.error(message)
  await cleanup.run(cleanupMs)
  // After success nothing is open any more; otherwise `main` may still be running.
  if (exitCode !== 0) process.exit(exitCode)
}

/** Resolves with the first termination signal; later ones have no effect, since the program is already ending. */
function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve)
  })
}

/** Runs a program on a server that is being opened. */
export async function withRedis(
  opening: Promise<OpenedRedis>,
  name: string,
  main: (context: ExampleContext) => Promise<void>,
  defer: ExampleContext['defer'],
): Promise<void> {
  defer(async () => (await opening).stop())
  const { url, origin } = await opening
  // The braces keep all keys of a run in one slot; the prefix starts every key.
  const keyPrefix = `{${uniqueName(name)}}:`
  defer(() => removeKeys(url, keyPrefix))
  console.log(`Redis: ${origin}\n`)
  const redis = new Redis(url, { keyPrefix })
  // A failure also rejects the affected command.
  redis.on('error', () => undefined)
  defer(() => redis.disconnect())
  await main({ redis, url, keyPrefix, defer })
}
