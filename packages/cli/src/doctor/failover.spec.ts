import { checkCluster, checkFailOver, checkSentinels } from './failover.js'

it('a Cluster with its default time-out leaves holds 3.7 s', () => {
  const { status, text } = checkFailOver('cluster-node-timeout', 15_000, 30_000)
  expect(status).toBe('ok')
  expect(text).toContain('3.7 s to spare')
})

it('Sentinels with their default time-out lose every hold', () => {
  const fields = new Map([
    ['down-after-milliseconds', '30000'],
    ['num-other-sentinels', '2'],
    ['quorum', '2'],
  ])
  expect(checkSentinels(fields, 30_000).map(({ status }) => status)).toEqual(['ok', 'failed'])
  expect(checkSentinels(fields, 60_000).map(({ status }) => status)).toEqual(['ok', 'ok'])
})

it('two Sentinels are too few', () => {
  const fields = new Map([
    ['down-after-milliseconds', '5000'],
    ['num-other-sentinels', '1'],
    ['quorum', '2'],
  ])
  expect(checkSentinels(fields, 30_000)[0]?.status).toBe('warning')
})

it('a Cluster with slots that have no master fails', () => {
  const info = new Map([
    ['cluster_state', 'fail'],
    ['cluster_slots_assigned', '10923'],
  ])
  const findings = checkCluster(info, null, 30_000)
  expect(findings.map(({ status }) => status)).toEqual(['failed', 'unknown'])
  expect(findings[0]?.text).toContain('10923 of 16384')
})
