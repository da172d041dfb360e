import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  blockBelow,
  bodyOf,
  checkHistory,
  describeViolation,
  startRedis,
  toMermaid,
  withBlockBelow,
  type HistoryEvent,
  type RedisServer,
} from '@holdfast/testkit'
import { runStage, runWithHoldfast } from '../src/classic-locks/run-directed.js'
import {
  clockAhead,
  crashEntering,
  crashInside,
  cutOffInside,
  lateRelease,
  pauseInside,
} from '../src/classic-locks/directed-schedules.js'
import { classicStages } from '../src/classic-locks/classic-stages.js'

const page = join(__dirname, '../../../docs/trust/why.md')
const sources = join(__dirname, '../src/classic-locks')
const workerFile = join(__dirname, '../dist/classic-locks/holdfast-worker.js')

let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})

afterAll(() => server.stop())

/** Compares with what docs/trust/why.md shows; HOLDFAST_UPDATE_DOCS=1 updates it instead. */
function expectOnPage(name: string, body: string): void {
  const shown = readFileSync(page, 'utf8')
  const updated = process.env['HOLDFAST_UPDATE_DOCS'] ? withBlockBelow(shown, name, body) : shown
  if (updated !== shown) writeFileSync(page, updated)
  expect(blockBelow(updated, name)).toBe(body)
}

type Acquired = Extract<HistoryEvent, { kind: 'acquired' }>

const acquisitionsIn = (history: readonly HistoryEvent[]): Acquired[] =>
  history.filter((event) => event.kind === 'acquired')

describe('a classic stage of Redis locking', () => {
  it.each(classicStages.map((stage) => [stage.title, stage] as const))(
    '%s: breaks as expected, and the checker prints how',
    async (_, stage) => {
      const { history } = await runStage(stage, server.url)
      const violations = checkHistory(history)
      expect(violations.map(({ promise }) => promise)).toEqual(stage.breaks)
      const printed = violations.map((violation) => describeViolation(violation, history)).join('\n\n')
      for (const promise of stage.breaks) expect(printed).toContain(`${promise} broken`)
      if (stage.breaks.includes('exclusion')) expect(printed).toContain('!!')
      expectOnPage(`picture: ${stage.name}`, toMermaid(history))
      expectOnPage(`code: ${stage.name}`, bodyOf(readFileSync(join(sources, `${stage.name}.ts`), 'utf8')))
    },
  )

  const fixed = [
    ['setnx-expire', 'a crash inside', crashInside],
    ['set-nx-del', 'a crash inside', crashInside],
    ['compare-and-delete', 'a late release', lateRelease],
    ['compare-and-delete', 'a clock that is ahead', clockAhead],
  ] as const
  it.each(fixed)('%s survives %s, which broke an earlier stage', async (name, _, schedule) => {
    const stage = classicStages.find((candidate) => candidate.name === name)
    if (!stage) throw new Error(`no stage ${name}`)
    const { history } = await runStage(stage, server.url, schedule)
    expect(checkHistory(history)).toEqual([])
  })
})

describe('Holdfast in the same schedule', () => {
  const served = { A: null, B: null }
  const lossReported = { A: 'LOCK_LOST', B: null }
  const runs = [
    ['crash-inside', crashInside, served],
    ['crash-entering', crashEntering, served],
    ['late-release', lateRelease, { ...lossReported, C: null }],
    ['clock-ahead', clockAhead, served],
    ['pause-inside', pauseInside, lossReported],
    ['cut-off-inside', cutOffInside, lossReported],
  ] as const
  it.each(runs)(
    '%s: breaks no promise, and every participant learns its outcome',
    async (name, schedule, releaseErrors) => {
      const result = await runWithHoldfast(schedule, server.url, { workerFile })
      const { history } = result
      expect(checkHistory(history)).toEqual([])
      expect(result.releaseErrors).toEqual(releaseErrors)
      const tokens = acquisitionsIn(history).map(({ token }) => token ?? 0)
      expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b))
      expect(tokens.length).toBeGreaterThan(0)
      // The lines are in order of time, so they also show whether A learned of its loss, or its claim ended, before B entered.
      expectOnPage(`picture: holdfast ${name}`, toMermaid(history))
    },
  )
})
