import { checkHistory } from '@holdfast/testkit'
import { criticalSection, gapsOf, historyOf, runCycles, sidesOf } from '../src/index.js'
import { rowsOf, wantedCycles } from './support/cycles.js'
import { printTable } from './support/print-table.js'
import { describeTogether } from './support/describe-together.js'
import { promptMs } from './support/times.js'

/** Of all clients together. */
const limit = wantedCycles
const tasks = 8
/**
 * Of its fair share, which varies by chance and with what else the machine does. Waiters whose turns come late, as when they were allowed
 * too few requests, get a tenth.
 */
const leastShare = 1 / 4
const table: Record<string, string | number>[] = []

afterAll(() =>
  printTable(`Mixed load, waits in ms: 2 clients of each library, ${String(tasks)} tasks in each`, table),
)

describeTogether('mixed load', (context) => {
  it('admits one at a time, serves both sides, and makes no waiter wait for a lease to expire', async () => {
    const { version, mode, topology, peer, start, lock } = context()
    const more = await Promise.all([start('Redisson'), start('Holdfast')])
    const peers = [peer('Redisson'), peer('Holdfast'), ...more]
    const run = await runCycles(peers, { lock, tasks, limit })
    table.push(...rowsOf(run).map((row) => ({ on: mode, with: version, ...row })))
    const cycles = run.flatMap((part) => part.cycles)
    expect(cycles.length).toBe(limit)
    expect(new Set(cycles.map(({ inside }) => inside))).toEqual(new Set([1]))
    expect(await topology.redis.get(criticalSection(lock).keys[2])).toBe(String(limit))
    expect(Math.min(...cycles.map(({ ttlMs }) => ttlMs))).toBeGreaterThan(20_000)
    // This includes that no wait took ten seconds: a lease would take thirty.
    expect(checkHistory(historyOf(lock, run))).toEqual([])
    expect(Math.max(...gapsOf(run))).toBeLessThan(promptMs)
    const sides = [...sidesOf(run).values()]
    expect(sides.length).toBe(2)
    for (const { share } of sides) expect(share).toBeGreaterThan(leastShare / sides.length)
  }, 300_000)
})
