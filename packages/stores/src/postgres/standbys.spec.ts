import { shortfallOf, waitedForBy } from './standbys.js'

it.each([
  ['', 0],
  ['  ', 0],
  ['*', 1],
  ['a, b', 1],
  ['first, any', 1],
  ['2 (a, b, c)', 2],
  ['FIRST 2 (a, b)', 2],
  ['any 3(*)', 3],
  ['"2 (a)"', 1],
])('with synchronous_standby_names %j a commit waits for %i standbys', (names, count) =>
  expect(waitedForBy(names)).toBe(count),
)

it.each([
  [['', 'on', '1'], true, 'commits wait for 0 standbys, and minReplicas is 1'],
  [['*', 'off', '1'], true, 'synchronous_commit is off'],
  [['*', 'remote_write', '1'], true, 'synchronous_commit is remote_write'],
  [['*', 'on', '0'], false, '0 standbys connected'],
] as const)('%j is not enough for one replica', (row, isBySettings, words) => {
  expect(shortfallOf(row, 1)).toMatchObject({
    isBySettings,
    message: expect.stringContaining(words) as unknown,
  })
})

it.each([['on'], ['remote_apply']])(
  'synchronous_commit %s waits until a standby has stored a commit',
  (commit) => expect(shortfallOf(['ANY 1 (a, b)', commit, '2'], 1)).toBeUndefined(),
)
