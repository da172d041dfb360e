import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidArgumentError, Option } from 'commander'
import { readDuration } from '../connect/options.js'
import { messageOf } from '../exit-codes.js'
import { say } from '../output/terminal.js'
import { isOutage } from './outages.js'

/** Twice a second is the most: a slow link to the terminal keeps up, and so does the store. */
const shortestMs = 500
/** Timers of Node.js take less than 25 days; what is longer would not wait at all. */
const longestMs = 86_400_000

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** `--every`: the time from one step to the next, in milliseconds. */
export const everyOption = (): Option =>
  new Option('--every <duration>', 'show it again and again until Ctrl-C, at most twice a second').argParser(
    (text) => {
      const ms = readDuration(text)
      if (ms >= shortestMs && ms <= longestMs) return ms
      throw new InvalidArgumentError('Give at least 500ms and at most 24h.')
    },
  )

/**
 * Runs a step once, or with `everyMs` again and again until a signal ends it; at a terminal each has the screen to itself. A step that is
 * under way then, which may take long in an outage, is left behind. An outage does not end it, unless the first step never reached the
 * store: the address may be wrong.
 */
export async function repeat(everyMs: number | undefined, step: () => Promise<void>): Promise<void> {
  if (everyMs === undefined) return step()
  const stop = new AbortController()
  const stopped = once(stop.signal, 'abort')
  let wasReached = false
  for (const signal of endingSignals) process.once(signal, () => stop.abort())
  while (!stop.signal.aborted) {
    const startedAt = performance.now()
    if (process.stdout.isTTY) process.stdout.write('\x1b[H\x1b[2J')
    try {
      await Promise.race([step(), stopped])
      wasReached = true
    } catch (error) {
      if (!wasReached || !isOutage(error)) throw error
      say(messageOf(error))
    }
    const restMs = Math.max(0, everyMs - (performance.now() - startedAt))
    await sleep(restMs, undefined, { signal: stop.signal }).catch(() => undefined)
  }
}
