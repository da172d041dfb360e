import { withRedis } from '@holdfast/testkit'
import { linearRegression } from 'simple-statistics'
import { titleOf } from '../contender.js'
import { holdfast } from '../contenders/holdfast.js'
import type { WorkerPool } from '../worker-pool.js'
import type { Figure } from '../figure.js'
import type { Scenario } from '../scenario.js'
import type { SoakSample } from '../tasks/soak.js'
import { withWorkerPools } from '../with-worker-pools.js'

const name = 'soak'

type Sample = SoakSample & { readonly keys: number }

/** One client in long use: does it leak? Sampled each minute, when it is idle. */
export const soak: Scenario = {
  name,
  title: 'What one client retains in long use (--minutes, --rate)',
  compares: { what: 'heapBytes', lessIsBetter: true },
  onlyByName: true,
  run: ({ minutes, cyclesPerSecond, isTrial, ...plan }) =>
    withWorkerPools([holdfast], 1, async ([pool], { url }) => {
      if (!pool) throw new Error('no process to soak')
      const minuteMs = isTrial ? 200 : 60_000
      const sampleNext = (forMs: number): Promise<Sample> =>
        sampleAfter(pool, { url, forMs, cyclesPerSecond })
      // The first sample comes after everything was used once: code, connections, all names.
      const samples = [await sampleNext(minuteMs / 4)]
      for (let minute = 0; minute <= minutes; minute += 1) {
        if (minute > 0) samples.push(await sampleNext(minuteMs))
        plan.say(lineOf(minute, samples.at(-1)))
      }
      const all: Figure[] = samples.map((seen, minute) => figure(minute, { ...seen }))
      return [...all, figure('growth per minute', growth(samples))]
    }),
}

async function sampleAfter(
  pool: WorkerPool,
  order: { readonly url: string; readonly forMs: number; readonly cyclesPerSecond: number | null },
): Promise<Sample> {
  const [sample] = await pool.all('soakOn', () => order, 2 * order.forMs + 30_000)
  if (!sample) throw new Error('no process returned a sample')
  return { ...sample, keys: await withRedis(order.url, (redis) => redis.dbsize()) }
}

const figure = (minute: number | string, seen: Figure['seen']): Figure => ({
  scenario: name,
  of: titleOf(holdfast),
  at: { minute },
  seen,
})

/** The slope of a linear regression. */
const growth = (samples: readonly Sample[]): Figure['seen'] => {
  const slopeOf = (bytes: (sample: Sample) => number): number =>
    linearRegression(samples.map((sample, minute) => [minute, bytes(sample)])).m
  return {
    heapBytes: slopeOf(({ heapBytes }) => heapBytes),
    externalBytes: slopeOf(({ externalBytes }) => externalBytes),
    rssBytes: slopeOf(({ rssBytes }) => rssBytes),
  }
}

const lineOf = (minute: number, sample: Sample | undefined): string =>
  [`minute ${minute}`, ...Object.entries(sample ?? {}).map(([what, value]) => `${what} ${value}`)].join(', ')
