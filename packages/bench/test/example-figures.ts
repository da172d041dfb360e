import type { Figure } from '../src/figure.js'

const floors = { uncontended: 'SET and DEL', 'hand-off': 'hand-off by hand' }
const peers = ['redis-semaphore', 'redlock 5', '@sesamecare-oss/redlock']

const figure = (scenario: string, of: string, at: Figure['at'], seen: Figure['seen']): Figure => ({
  scenario,
  of,
  at,
  seen,
})

const uncontended = [
  figure('uncontended', floors.uncontended, {}, { usPerCycle: 100, commandsPerCycle: 2 }),
  figure('uncontended', 'Holdfast', {}, { usPerCycle: 112.5, commandsPerCycle: 2 }),
  ...peers.map((of, n) => figure('uncontended', of, {}, { usPerCycle: 130 + 40 * n, commandsPerCycle: 2 })),
  figure('uncontended', 'redlock 5, defaults', {}, { usPerCycle: 171, commandsPerCycle: 2 }),
]

const handOff = (of: string, waiters: number, processes: number, usPerHandOff: number, commands: number) =>
  figure('hand-off', of, { waiters, processes }, { usPerHandOff, commandsPerCycle: commands })

const handOffs = [
  ...[10, 50, 200, 2_000].flatMap((waiters) => [
    handOff(floors['hand-off'], waiters, 4, 60 + waiters / 400, 2),
    handOff('Holdfast', waiters, 4, 70 + waiters / 400, 2),
  ]),
  ...[1, 2, 8].flatMap((processes) => [
    handOff(floors['hand-off'], 200, processes, 58 + processes, 2),
    handOff('Holdfast', 200, processes, 66 + processes, 2),
  ]),
  ...[10, 50].flatMap((waiters) => [
    ...peers.map((of, n) => handOff(of, waiters, 4, 2_000 * (n + 1) + 10 * waiters, waiters * (n + 1))),
    handOff('Redisson', waiters, 2, 240 + waiters, 3.4),
  ]),
]

const watchdog = [1_000, 10_000, 100_000].flatMap((locks) => [
  figure(
    'watchdog',
    'Holdfast',
    { locks },
    { commandsPerPeriod: Math.ceil(locks / 500) + 1, clientCpuShare: locks / 1_000_000 },
  ),
  ...(locks < 100_000
    ? [
        figure(
          'watchdog',
          'redis-semaphore',
          { locks },
          { commandsPerPeriod: locks, clientCpuShare: locks / 12_000 },
        ),
      ]
    : []),
])

/** Made up, in the shapes that the scenarios produce. */
export const exampleFigures: readonly Figure[] = [...uncontended, ...handOffs, ...watchdog]
