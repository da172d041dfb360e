import { everyPart } from '../describe-engine.js'
import type { EngineUnderTest } from '../engine-under-test.js'
import { Suite } from '../support/suite.js'
import { Collector, type Collected } from './collector.js'

/** What became of a scenario: it held, it did not, or it takes a hook that the engine under test does not offer. */
export type Outcome = 'kept' | 'broken' | 'untried'

/** One scenario of the suite, on the engine under test. */
export interface Verdict {
  /** The part of the suite that it belongs to. */
  readonly part: string
  /** A sentence about behaviour. */
  readonly title: string
  readonly outcome: Outcome
  /** Why it is broken. */
  readonly error?: unknown
  /** How long it took, milliseconds. */
  readonly tookMs: number
}

/** How {@link verifyEngine} goes about it. */
export interface VerifyOptions {
  /** Only the scenarios whose part or title has this text in it, in upper or lower case. @defaultValue all */
  readonly only?: string
  /** Called before each scenario: how many are done, of how many, and which is next. */
  readonly onProgress?: (done: number, all: number, next: string) => void
  /** The longest that one scenario may take, milliseconds. @defaultValue 30_000 */
  readonly limitMs?: number
  /** Begins nothing more once it aborts. */
  readonly signal?: AbortSignal
}

/**
 * Runs the suite without a test runner, one scenario after the other: for a program that checks a server that is already running.
 * A scenario that fails is a verdict, not an exception.
 *
 * @throws what `engine.start` and `engine.stop` throw
 */
export async function verifyEngine(
  engine: EngineUnderTest,
  { only = '', onProgress, limitMs = 30_000, signal }: VerifyOptions = {},
): Promise<Verdict[]> {
  const collector = new Collector()
  const suite = new Suite(engine, collector)
  for (const describePart of everyPart) describePart(suite)
  const wanted = only.toLowerCase()
  const scenarios = collector.scenarios.filter(({ part, title }) =>
    `${part}: ${title}`.toLowerCase().includes(wanted),
  )
  const verdicts: Verdict[] = []
  await engine.start()
  try {
    for (const scenario of scenarios) {
      if (signal?.aborted) break
      onProgress?.(verdicts.length, scenarios.length, scenario.title)
      verdicts.push(await judge(scenario, suite, limitMs))
    }
  } finally {
    await engine.stop()
  }
  return verdicts
}

async function judge({ part, title, run }: Collected, suite: Suite, limitMs: number): Promise<Verdict> {
  if (!run) return { part, title, outcome: 'untried', tookMs: 0 }
  const begun = performance.now()
  const verdict = (outcome: Outcome): Omit<Verdict, 'error'> => ({
    ...{ part, title, outcome },
    tookMs: Math.round(performance.now() - begun),
  })
  try {
    suite.begin()
    await within(limitMs, run)
    await within(limitMs, () => suite.end())
    return verdict('kept')
  } catch (error) {
    // What it opened must not disturb the next one.
    await within(limitMs, () => suite.end()).catch(() => undefined)
    return { ...verdict('broken'), error }
  }
}

async function within(limitMs: number, work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  // Before the work: some scenarios look for what a client leaves open.
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${limitMs} ms`)), limitMs)
  })
  try {
    await Promise.race([work(), limit])
  } finally {
    clearTimeout(timer)
  }
}
