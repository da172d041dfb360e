import { withRedis } from '@holdfast/testkit'
import { linearRegression } from 'simple-statistics'
import { titleOf } from '../contender.js'
import { holdfast } from '../contenders/holdfast.js'
import type { Crew } from '../crew.js'
import type { Figure } from '../figure.js'
import type { Scenario } from '../scenario.js'
import type { SoakSample } from '../tasks/soak.js'
import { withCrews } from '../with-crews.js'

const name = 'soak'

type Sample = SoakSample & { readonly keys: number }

/** One client in use for as long as one likes: does it keep anything? Looked at each minute, when it rests. */
export const soak: Scenario = {
  name,
  title: 'What one client keeps when it is in use for long (--minutes, --rate)',
  compares: { what: 'heapBytes', lessIsBetter: true },
  onlyByName: true,
  run: ({ minutes, cyclesPerSecond, isTrial, ...plan }) =>
    withCrews([holdfast], 1, async ([crew], { url }) => {
      if (!crew) throw new Error('no process to soak')
      const minuteMs = isTrial ? 200 : 60_000
      const lookAfter = (forMs: number): Promise<Sample> => sampleAfter(crew, { url, forMs, cyclesPerSecond })
      // The first look comes when everything was used once: code, connections, all names.
      const samples = [await lookAfter(minuteMs / 4)]
      for (let minute = 0; minute <= minutes; minute += 1) {
        if (minute > 0) samples.push(await lookAfter(minuteMs))
        plan.say(lineOf(minute, samples.at(-1)))
      }
      const all: Figure[] = samples.map((seen, minute) => figure(minute, { ...seen }))
      return [...all, figure('growth per minute', growth(samples))]
    }),
}

async function sampleAfter(
  crew: Crew,
  order: { readonly url: string; readonly forMs: number; readonly cyclesPerSecond: number | null },
): Promise<Sample> {
  const [sample] = await crew.all('soakOn', () => order, 2 * order.forMs + 30_000)
  if (!sample) throw new Error('no process was soaked')
  return { ...sample, keys: await withRedis(order.url, (redis) => redis.dbsize()) }
}

const figure = (minute: number | string, seen: Figure['seen']): Figure => ({
  scenario: name,
  of: titleOf(holdfast),
  at: { minute },
  seen,
})

/** By the line that fits best. */
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
