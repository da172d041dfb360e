import { isFullMatrix } from '@holdfast/testkit'
import { tableOf } from '../src/report/table.js'
import { targetsTable } from '../src/report/targets.js'
import type { About, Figure } from '../src/scenario.js'
import { bench, trialOf } from './support/trial.js'

it('an unknown scenario, store or contender is refused with a list of the known ones', async () => {
  await expect(bench('--scenario', 'nonsense')).rejects.toThrow(/unknown scenario nonsense[^]*uncontended/)
  await expect(bench('--store', 'nonsense')).rejects.toThrow(/unknown store nonsense[^]*postgres/)
  await expect(bench('--store', 'etcd', '--scenario', 'hot-key')).rejects.toThrow(/hot-key on etcd/)
  await expect(bench('--with', 'holdfast,nonsense')).rejects.toThrow(
    /--with nonsense: [^]*Holdfast; redlock 5/,
  )
})

it('cycles and hand-offs of Holdfast beside the floors: two commands, and waiters in order', async () => {
  const { seen, of, stdout } = await trialOf(['--scenario', 'uncontended,hand-off', '--with', 'holdfast'])
  const floors = ['PING', 'SET and DEL', 'hand-off by hand']
  expect(seen('uncontended', 'commandsPerCycle')).toEqual([...floors, 'Holdfast'].map((title) => [title, 2]))
  expect(of('hand-off').map((figure) => figure.seen['outOfOrder'])).toEqual(of('hand-off').map(() => 0))
  expect(stdout).toMatch(/^\| Commands per undisturbed cycle +\| +2\.00 \| +2\.00 \| holds/m)
})

// The rest measures what a change rarely touches, and takes minutes.
if (isFullMatrix) {
  it.each(['postgres', 'mysql', 'zookeeper', 'etcd', 'memcached'])(
    'cycles and hand-offs on %s beside its floor',
    async (store) => {
      const { of } = await trialOf(['--scenario', 'uncontended,hand-off', '--store', store])
      for (const name of ['uncontended', 'hand-off'])
        for (const { seen } of of(name)) expect(seen['commandsPerCycle']).toBeGreaterThanOrEqual(1)
    },
    300_000,
  )

  it('every other scenario of Redis: no renewed lock is lost, and waiters are served in order', async () => {
    const names = ['throughput', 'hot-key', 'delayed-hand-off', 'start-up', 'watchdog']
    const { seen, of } = await trialOf(['--scenario', names.join(',')])
    for (const name of names) expect(of(name).map((figure) => figure.of)).toContain('Holdfast')
    for (const [, lost] of seen('watchdog', 'lost')) expect(lost).toBe(0)
    for (const figure of of('hot-key')) expect([figure.of, figure.seen['outOfOrder']]).toEqual([figure.of, 0])
  }, 600_000)
}

const cellsIn = (table: string): string[][] =>
  table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

const handOff: About = {
  name: 'hand-off',
  title: '',
  compares: { what: 'usPerHandOff', lessIsBetter: true },
  floor: 'hand-off by hand',
}
const figure = (of: string, waiters: number, usPerHandOff: number, commandsPerCycle: number): Figure => ({
  of,
  at: { waiters, processes: 4 },
  seen: { usPerHandOff, commandsPerCycle },
})
const figures = [
  figure('hand-off by hand', 10, 60, 2),
  figure('Holdfast', 10, 70, 2),
  figure('hand-off by hand', 50, 62, 2),
  figure('Holdfast', 50, 70, 2.25),
  figure('redlock 5', 50, 2_100, 4),
  figure('redis-semaphore', 50, 1_400, 4),
]

it('a table shows the compared value first, and its ratio to the floor under the same conditions', () => {
  const [head, , ...rows] = cellsIn(tableOf(handOff, figures))
  const ratio = '× hand-off by hand'
  expect(head).toEqual(['', 'waiters', 'processes', 'µs per hand off', ratio, 'commands per cycle'])
  expect(rows[1]).toEqual(['Holdfast', '10', '4', '70', '1.17', '2.00'])
  expect(rows[3]).toEqual(['Holdfast', '50', '4', '70', '1.13', '2.25'])
})

it('a target is rated by its worst figure', () => {
  const rows = cellsIn(targetsTable(new Map([['hand-off', { about: handOff, figures }]])))
  expect(rows).toContainEqual(['Commands per contended cycle', '2.00', '2.25', '**missed**'])
  expect(rows).toContainEqual(['Hand-off between processes, × hand-off by hand', '≤ 1.25', '1.17', 'holds'])
  const polling = 'Hand-off of every library that polls, × that of Holdfast'
  expect(rows).toContainEqual([polling, '≥ 10', '20.0', 'holds'])
})
