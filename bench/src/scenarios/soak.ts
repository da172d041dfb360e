import { withRedis } from '@holdfast/testkit'
import { linearRegression } from 'simple-statistics'
import { holdfast } from '../adapters/holdfast.js'
import { titleOf } from '../contender.js'
import type { Figure, Scenario } from '../scenario.js'
import { onRedis } from '../servers.js'
import type { SoakSample } from '../tasks/soak.js'
import { withPool } from '../worker-pool.js'

type Sample = SoakSample & { readonly keys: number }

/** One client in long use: does it leak? Sampled each minute, when it is idle. */
export const soak: Scenario = {
  name: 'soak',
  title: 'What one client retains in long use (--minutes, --rate)',
  compares: { what: 'heapBytes', lessIsBetter: true },
  onlyByName: true,
  run: ({ minutes, cyclesPerSecond, isTrial, ...plan }) =>
    onRedis((servers) =>
      withPool(holdfast, servers, async (pool) => {
        const { url } = servers.redis
        const minuteMs = isTrial ? 200 : 60_000
        const sampleAfter = async (forMs: number): Promise<Sample> => ({
          ...(await pool.one('soakOn', { url, forMs, cyclesPerSecond }, 2 * forMs + 30_000)),
          keys: await withRedis(url, (redis) => redis.dbsize()),
        })
        // The first sample comes after everything was used once: code, connections, all names.
        const samples = [await sampleAfter(minuteMs / 4)]
        for (let minute = 0; minute <= minutes; minute += 1) {
          if (minute > 0) samples.push(await sampleAfter(minuteMs))
          plan.say(lineOf(minute, samples.at(-1)))
        }
        const all = samples.map((seen, minute) => figure(minute, { ...seen }))
        return [...all, figure('growth per minute', growth(samples))]
      }),
    ),
}

const figure = (minute: number | string, seen: Figure['seen']): Figure => ({
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
