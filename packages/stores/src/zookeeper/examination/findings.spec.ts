import { onEnsemble, onServers, onSessions, onTicks } from './findings.js'
import { fieldsOf } from './words.js'

const line = (id: number, role = 'participant'): string =>
  `server.${id}=127.0.0.1:2888:3888:${role};127.0.0.1:2181`

it.each([
  [[], 'warning', /^one server: /],
  [[line(1), line(2)], 'warning', /^2 servers vote: none may fail, as of 1; run 3$/],
  [[line(1), line(2), line(3), 'version=0'], 'ok', /^3 servers vote: 1 may fail$/],
  [[line(1), line(2), line(3), line(4)], 'warning', /^4 servers vote: 1 may fail, as of 3; run 5$/],
  [[line(1), line(2), line(3), line(4, 'observer')], 'ok', /^3 servers vote and 1 that only observe/],
])('an ensemble of %j: %s', (lines, expected, told) => {
  expect(onEnsemble(lines.join('\n'))).toMatchObject({
    status: expected,
    text: expect.stringMatching(told) as string,
  })
})

it('ticks that are longer than clients believe are warned of, also where only the shortest session shows them', () => {
  expect(onTicks(2_000, 2_000, 4_000).status).toBe('ok')
  expect(onTicks(2_000, null, 6_000)).toMatchObject({
    status: 'warning',
    text: '3 s (half the shortest session), clients take off 2 s (tickMs): pass zookeeper({ tickMs: 3000 })',
  })
})

it('sessions that servers lengthen are warned of', () => {
  const { status, text } = onSessions({ shortestMs: 20_000, longestMs: 200_000, wantedMs: 10_000 })
  expect([status, text]).toEqual(['warning', expect.stringContaining('free only after 20 s') as string])
})

it('a server says its version and its role, if it may', () => {
  const fields = fieldsOf('Zookeeper version: 3.4.14-4c25d, built on 03/06/2019\nMode: leader\n')
  expect(fields.get('Mode')).toBe('leader')
  const server = { address: 'a:2181', isThere: true, mode: 'leader' }
  expect(onServers([{ ...server, version: '3.4.14' }]).status).toBe('failed')
  expect(onServers([{ ...server, version: undefined }])).toMatchObject({
    status: 'unknown',
    text: expect.stringContaining('4lw.commands.whitelist') as string,
  })
})
