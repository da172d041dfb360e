import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scratchFolder } from '@holdfast/testkit'
import type { Figure } from '../src/figure.js'

const run = promisify(execFile)
const bench = join(__dirname, '../dist/bench.js')

/** The figures of a trial of these scenarios. */
async function figuresOf(scenarios: string, contenders: string): Promise<readonly Figure[]> {
  const folder = await scratchFolder()
  try {
    const args = [bench, '--trial', '--scenario', scenarios, '--with', contenders, '--out', folder.path]
    await run(process.execPath, args)
    const report = JSON.parse(await readFile(join(folder.path, 'figures.json'), 'utf8')) as {
      figures: readonly Figure[]
    }
    return report.figures
  } finally {
    await folder.remove()
  }
}

describe('the bench', () => {
  it('keeps the locks of every library that renews them, and loses none', async () => {
    const figures = await figuresOf('watchdog', 'holdfast,redlock 5,@sesame,redlock-u,redis-semaphore')
    expect(figures.map(({ of, seen }) => [of, seen['lost']])).toEqual([
      ['Holdfast', 0],
      ['redlock 5', 0],
      ['@sesamecare-oss/redlock', 0],
      ['redlock-universal', 0],
      ['redis-semaphore', 0],
    ])
    for (const { seen } of figures) expect(seen['commandsPerPeriod']).toBeGreaterThan(0)
  }, 60_000)

  it('shows that waiters of Holdfast send next to nothing, and that others poll', async () => {
    const figures = await figuresOf('idle', 'holdfast,redis-semaphore')
    const sent = new Map(figures.map(({ of, seen }) => [of, seen['commandsPerSecond'] ?? NaN]))
    expect([...sent.keys()].slice(-3)).toEqual(['Holdfast', 'redis-semaphore', 'redis-semaphore, defaults'])
    expect(sent.get('Holdfast')).toBeLessThan((sent.get('redis-semaphore') ?? NaN) / 10)
  }, 60_000)

  it('measures the memory of held locks and waiters', async () => {
    const figures = await figuresOf('memory', 'holdfast')
    expect(figures.map(({ of, at }) => [of, at['what'], at['locks']])).toEqual([
      ['SET and DEL', 'held lock', 100],
      ['Holdfast', 'held lock', 100],
      ['SET and DEL', 'waiter', 1],
      ['Holdfast', 'waiter', 1],
      ['SET and DEL', 'waiter', 1_000],
      ['Holdfast', 'waiter', 1_000],
    ])
    // The memory of so few is smaller than the noise of a heap.
    for (const { seen } of figures) expect(seen['heapBytes']).toEqual(expect.any(Number))
  }, 60_000)

  it('soaks one client, and finds no listener left on the signal that all calls share', async () => {
    const figures = await figuresOf('soak', 'holdfast')
    expect(figures.map(({ at }) => at['minute'])).toEqual([0, 1, 'growth per minute'])
    for (const { seen } of figures.slice(0, 2)) {
      expect(seen['cycles']).toBeGreaterThan(0)
      expect(seen['signalListeners']).toBe(0)
    }
  }, 60_000)
})
