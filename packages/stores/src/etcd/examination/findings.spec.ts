import { onCluster, onCompaction, onServers, onSessions, onSpace } from './findings.js'

const status = {
  ...{ clusterId: 1n, serverId: 1n, version: '3.5.13', leaderId: 1n },
  ...{ dbBytes: 0, quotaBytes: 0 },
}

it.each([
  [1, 'warning', /^one server: /],
  [2, 'warning', /^2 servers vote: none may fail, as of 1; run 3$/],
  [3, 'ok', /^3 servers vote: 1 may fail$/],
  [4, 'warning', /^4 servers vote: 1 may fail, as of 3; run 5$/],
  [5, 'ok', /^5 servers vote: 2 may fail$/],
])('a cluster of %i, of which one more only learns: %s', (votes, expected, told) => {
  const members = Array.from({ length: votes }, () => ({ name: 'a', isLearner: false }))
  expect(onCluster(members)).toMatchObject({ status: expected, text: expect.stringMatching(told) as string })
  const { text } = onCluster([...members, { name: 'b', isLearner: true }])
  expect(text).toContain('and 1 that only learn')
})

it.each([
  ['3.3.27', 'failed'],
  ['3.4.30', 'warning'],
  ['3.4.31', 'ok'],
  ['3.5.12', 'warning'],
  ['3.5.13', 'ok'],
  ['3.6.0-rc.1', 'ok'],
])('version %s: %s', (version, expected) => {
  expect(onServers([{ host: 'a', status: { ...status, version } }]).status).toBe(expected)
})

it('servers of two clusters fail: their clients do not exclude each other', () => {
  const other = { ...status, clusterId: 2n }
  const finding = onServers([
    { host: 'a', status },
    { host: 'b', status: other },
  ])
  expect(finding).toMatchObject({ status: 'failed', text: expect.stringContaining('not of one') as string })
})

it('a long election timeout wants longer sessions', () => {
  expect(onSessions(30_000, 30_000, 8_000).status).toBe('warning')
  expect(onSessions(32_000, 32_000, 8_000).status).toBe('ok')
  expect(onSessions(4_000, 8_000, 8_000).text).toMatch(/^clients want 4 s, .* only after that/)
})

it('history that nobody compacts is warned of once there is much of it', () => {
  expect(onCompaction(9_999, 0).status).toBe('unknown')
  expect(onCompaction(10_000, 0).status).toBe('warning')
  expect(onCompaction(5_000_000, 4_500_000).status).toBe('ok')
  expect(onCompaction(5_000_000, 3_500_000).status).toBe('warning')
})

it('a database that is nearly full is warned of, against the quota that the server says', () => {
  expect(onSpace({ dbBytes: 1.7 * 1024 ** 3, quotaBytes: 0 }).status).toBe('warning')
  expect(onSpace({ dbBytes: 1.7 * 1024 ** 3, quotaBytes: 8 * 1024 ** 3 }).status).toBe('ok')
})
