import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  checkHistory,
  describeViolation,
  startRedis,
  toMermaid,
  type HistoryEvent,
  type RedisServer,
} from '@holdfast/testkit'
import { blockBelow, bodyOf, withBlockBelow } from '../src/stages/page.js'
import { playStage, playWithHoldfast } from '../src/stages/play.js'
import {
  clockAhead,
  crashEntering,
  crashInside,
  cutOffInside,
  lateRelease,
  pauseInside,
} from '../src/stages/schedules.js'
import { stages } from '../src/stages/stages.js'

const page = join(__dirname, '../../../docs/why.md')
const sources = join(__dirname, '../src/stages')
const workerFile = join(__dirname, '../dist/stages/holdfast-worker.js')

let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})

afterAll(() => server.stop())

/** Compares with what docs/why.md shows; with HOLDFAST_UPDATE_DOCS=1, writes it there. */
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
  it.each(stages.map((stage) => [stage.title, stage] as const))(
    '%s: breaks as expected, and the checker prints when',
    async (_, stage) => {
      const { history } = await playStage(stage, server.url)
      const violations = checkHistory(history)
      expect(violations.map(({ promise }) => promise)).toEqual(stage.breaks)
      const printed = violations.map((violation) => describeViolation(violation, history)).join('\n\n')
      for (const promise of stage.breaks) expect(printed).toContain(`${promise} broken`)
      if (stage.breaks.includes('exclusion')) expect(printed).toContain('!!')
      expectOnPage(`picture: ${stage.name}`, toMermaid(history))
      expectOnPage(`code: ${stage.name}`, bodyOf(readFileSync(join(sources, `${stage.name}.ts`), 'utf8')))
    },
  )

  const mended = [
    ['setnx-expire', 'a crash inside', crashInside],
    ['set-nx-del', 'a crash inside', crashInside],
    ['compare-and-delete', 'a late release', lateRelease],
    ['compare-and-delete', 'a clock that is ahead', clockAhead],
  ] as const
  it.each(mended)('%s survives %s, which broke one before it', async (name, _, schedule) => {
    const stage = stages.find((candidate) => candidate.name === name)
    if (!stage) throw new Error(`no stage ${name}`)
    const { history } = await playStage(stage, server.url, schedule)
    expect(checkHistory(history)).toEqual([])
  })
})

describe('Holdfast in the same schedule', () => {
  const served = { A: null, B: null }
  const told = { A: 'LOCK_LOST', B: null }
  const runs = [
    ['crash-inside', crashInside, served],
    ['crash-entering', crashEntering, served],
    ['late-release', lateRelease, { ...told, C: null }],
    ['clock-ahead', clockAhead, served],
    ['pause-inside', pauseInside, told],
    ['cut-off-inside', cutOffInside, told],
  ] as const
  it.each(runs)('%s: breaks nothing, and everybody knows', async (name, schedule, leftWith) => {
    const result = await playWithHoldfast(schedule, server.url, { workerFile })
    const { history } = result
    expect(checkHistory(history)).toEqual([])
    expect(result.leftWith).toEqual(leftWith)
    const tokens = acquisitionsIn(history).map(({ token }) => token ?? 0)
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b))
    expect(tokens.length).toBeGreaterThan(0)
    // Its lines are in order of time: also whether A was told, or its claim ended, before B was let in.
    expectOnPage(`picture: holdfast ${name}`, toMermaid(history))
  })
})
