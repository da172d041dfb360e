import { runsOf, type RememberedLoss } from './loss-runs.js'

const loss = (name: string, at: number, more: Partial<RememberedLoss> = {}): RememberedLoss => ({
  name,
  object: 'lock',
  kind: 'lock',
  owner: `one:${at}`,
  process: { clientId: 'one', host: 'host', pid: 1, label: '' },
  reason: 'revoked',
  at,
  isOldestKept: false,
  ...more,
})

it('losses of one object in a row are one entry that counts them', () => {
  const other = { clientId: 'two', host: 'host', pid: 2, label: '' }
  const runs = runsOf([
    loss('a', 1),
    loss('a', 4, { reason: 'expired', process: other }),
    loss('a', 2),
    loss('b', 3),
    loss('a', 5),
    loss('a', 6, { object: 'semaphore', kind: 'semaphore' }),
  ])
  expect(runs).toMatchObject([
    { name: 'a', object: 'semaphore', count: 1 },
    { name: 'a', owner: 'one:5', at: 5, since: 4, count: 2, reason: 'revoked, expired', otherProcesses: 1 },
    { name: 'b', count: 1, since: 3, otherProcesses: 0 },
    { name: 'a', at: 2, since: 1, count: 2, reason: 'revoked', otherProcesses: 0 },
  ])
})

it('a run that reaches back as far as its client remembers counts at least so many', () => {
  expect(runsOf([loss('a', 2), loss('a', 1, { isOldestKept: true })])).toMatchObject([
    { count: 2, isAtLeast: true },
  ])
})
