import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../until.js'
import { nowMs } from './event.js'
import { readHistories } from './read-histories.js'
import { openHistory, type Reported } from './recorder.js'
import { watchStalls } from './stalls.js'
import { requested, confirmed, queued } from './short-events.js'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'histories-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('events are read back as they were written, with time and process filled in', () => {
  const file = join(folder, 'a')
  const history = openHistory(file, 'A')
  const before = nowMs()
  history.write({ kind: 'queued', lock: 'job', owner: 'a1' })
  history.write({ kind: 'killed', process: 'B', atMs: 1 })
  const [first, second] = readHistories([file])
  history.close()
  expect(first).toEqual({ kind: 'killed', process: 'B', atMs: 1 })
  expect(second).toMatchObject({ kind: 'queued', process: 'A', lock: 'job', owner: 'a1' })
  expect(second?.atMs).toBeGreaterThanOrEqual(before)
  expect(second?.atMs).toBeLessThanOrEqual(nowMs())
})

it('a history that is opened again is continued', () => {
  const file = join(folder, 'a')
  for (const owner of ['a1', 'a2']) {
    const history = openHistory(file, 'A')
    history.write({ kind: 'queued', lock: 'job', owner })
    history.close()
  }
  expect(readHistories([file])).toHaveLength(2)
})

it('the events of several files are sorted by time, and those of one instant keep their order', () => {
  const events = [queued(2, 'a1'), queued(2, 'a2'), queued(1, 'b1'), queued(2, 'b2')]
  const lines = events.map((event) => `${JSON.stringify(event)}\n`)
  writeFileSync(join(folder, 'a'), lines.slice(0, 2).join(''))
  writeFileSync(join(folder, 'b'), lines.slice(2).join(''))
  const owners = readHistories([join(folder, 'a'), join(folder, 'b')]).map((event) =>
    'owner' in event ? event.owner : null,
  )
  expect(owners).toEqual(['b1', 'a1', 'a2', 'b2'])
})

it('an incomplete last line is skipped, even if it can be parsed', () => {
  const file = join(folder, 'a')
  writeFileSync(file, `${JSON.stringify(requested(1, 'a1'))}\n${JSON.stringify(confirmed(2, 'a1', 30))}`)
  expect(readHistories([file])).toEqual([requested(1, 'a1')])
  writeFileSync(file, '')
  expect(readHistories([file])).toEqual([])
})

it('any other line that is not an event is reported with its position', () => {
  const file = join(folder, 'a')
  for (const line of ['{"kind":"ask', '{"kind":"unheard","atMs":1}', '{"kind":"asked"}', 'null', '']) {
    writeFileSync(file, `${JSON.stringify(requested(1, 'a1'))}\n`)
    appendFileSync(file, `${line}\n`)
    expect(() => readHistories([file])).toThrow(`${file}:2 is not an event: ${line}`)
  }
})

it('a stalled event loop is reported once, with the duration', async () => {
  const reported: Reported[] = []
  const fromMs = nowMs()
  const stop = watchStalls((event) => reported.push(event), { everyMs: 5, overMs: 50 })
  const watchedMs = nowMs()
  while (nowMs() < watchedMs + 120);
  await until(() => reported.length > 0 && nowMs() > watchedMs + 160, { what: 'the stall to be reported' })
  stop()
  const stalls = reported.map((event) => (event.kind === 'stalled' ? event.stalledMs : 0))
  expect(stalls[0]).toBeGreaterThanOrEqual(119)
  expect(stalls.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(nowMs() - fromMs)
})

it('a running event loop is not reported, and nothing is reported after the end of the watch', async () => {
  const reported: Reported[] = []
  const stop = watchStalls((event) => reported.push(event), { everyMs: 1, overMs: 5_000 })
  const fromMs = nowMs()
  await until(() => nowMs() > fromMs + 50)
  stop()
  const stopAgain = watchStalls((event) => reported.push(event), { everyMs: 1, overMs: 1 })
  stopAgain()
  const stoppedMs = nowMs()
  while (nowMs() < stoppedMs + 50);
  await until(() => nowMs() > stoppedMs + 70)
  expect(reported).toEqual([])
})
