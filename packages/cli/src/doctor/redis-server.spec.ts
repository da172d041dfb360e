import { readInfo } from './redis-info.js'
import { checkServer } from './redis-server.js'

const info = (fields: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  readInfo(
    Object.entries({
      redis_version: '7.2.4',
      role: 'master',
      maxmemory_policy: 'noeviction',
      maxmemory: '0',
      connected_slaves: '1',
      connected_clients: '10',
      maxclients: '10000',
      ...fields,
    })
      .map(([field, value]) => `${field}:${value}\r\n`)
      .join('# Section\r\n'),
  )

it('a usual server is fit', () =>
  expect(checkServer(info({})).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']))

it.each([
  [{ redis_version: '6.0.16' }, 'version', 'failed'],
  [{ redis_version: '7.2.4', valkey_version: '8.1.0' }, 'version', 'ok'],
  [{ role: 'slave' }, 'role', 'failed'],
  [{ maxmemory_policy: 'allkeys-lru' }, 'eviction', 'warning'],
  [{ maxmemory_policy: 'volatile-lru', maxmemory: '1000000' }, 'eviction', 'failed'],
  [{ connected_slaves: '0' }, 'replicas', 'warning'],
  [{ connected_clients: '9000' }, 'connections', 'warning'],
  [{ maxclients: '' }, 'connections', 'unknown'],
])('with %j, %s is %s', (fields, check, status) =>
  expect(checkServer(info(fields)).find((finding) => finding.check === check)?.status).toBe(status),
)
