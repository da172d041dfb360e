import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidArgumentError, Option } from 'commander'
import { readCount, readDuration } from '../connect/options.js'

/** Twice a second is the most: a slow link to the terminal keeps up, and so does the store. */
const shortestMs = 500
/** Timers of Node.js take less than 25 days; what is longer would not wait at all. */
const longestMs = 86_400_000

export interface RepeatOptions {
  readonly interval: number
  readonly count: number
}

export const intervalOption = (): Option =>
  new Option('-n, --interval <duration>', 'how often, at most twice a second')
    .default(1_000, '1s')
    .argParser((text) => {
      const ms = readDuration(text)
      if (ms >= shortestMs && ms <= longestMs) return ms
      throw new InvalidArgumentError('Give at least 500ms and at most 24h.')
    })

export const countOption = (): Option =>
  new Option('--count <times>', 'end after so many').default(Infinity, 'no end').argParser(readCount)

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/**
 * Runs a step again and again until a signal ends it; what the step itself takes counts. A step that is under way then, which
 * may take long in an outage, is left behind.
 */
export async function repeat({ interval, count }: RepeatOptions, step: () => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const onSignal = (): void => stop.abort()
  const stopped = once(stop.signal, 'abort')
  // Not once: a further signal would end the process on the spot, before the terminal is as it was.
  for (const signal of endingSignals) process.on(signal, onSignal)
  try {
    for (let done = 0; done < count && !stop.signal.aborted; done += 1) {
      const startedAt = performance.now()
      await Promise.race([step(), stopped])
      if (done + 1 === count) return
      const restMs = Math.max(0, interval - (performance.now() - startedAt))
      await sleep(restMs, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  } finally {
    for (const signal of endingSignals) process.off(signal, onSignal)
  }
}
