import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forkWorker, nowMs, readHistories, until, type Worker } from '../src/index.js'

const script = join(__dirname, 'fixtures/history-worker.mjs')

let folder: string
let file: string
let worker: Worker

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'histories-'))
  file = join(folder, 'a')
  worker = await forkWorker(script, { args: [file, 'A'] })
})
afterEach(async () => {
  await worker.kill()
  rmSync(folder, { recursive: true })
})

async function write(owner: string): Promise<void> {
  await worker.send({ type: 'write', owner })
  await worker.waitFor('wrote')
}

it('a killed process loses no written event, and shares the clock of the others', async () => {
  const fromMs = nowMs()
  await write('a1')
  await write('a2')
  await worker.kill()
  const untilMs = nowMs()
  const events = readHistories([file])
  expect(events).toMatchObject([
    { kind: 'queued', process: 'A', owner: 'a1' },
    { kind: 'queued', process: 'A', owner: 'a2' },
  ])
  for (const { atMs } of events) {
    expect(atMs).toBeGreaterThan(fromMs)
    expect(atMs).toBeLessThan(untilMs)
  }
})

it('a process that was frozen reports a stall of the whole time', async () => {
  await write('a1')
  await worker.freeze()
  const frozenMs = nowMs()
  await until(() => nowMs() > frozenMs + 150)
  const untilMs = nowMs()
  worker.thaw()
  const stall = await until(
    () => readHistories([file]).find((event) => event.kind === 'stalled' && event.atMs > untilMs),
    { what: 'the stall to be reported' },
  )
  const stalledMs = stall.kind === 'stalled' ? stall.stalledMs : 0
  expect(stall.atMs - stalledMs).toBeLessThan(frozenMs)
  expect(stalledMs).toBeGreaterThan(untilMs - frozenMs)
})
