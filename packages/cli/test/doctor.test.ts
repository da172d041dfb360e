import { startRedis, uniqueName, type RedisServer } from '@holdfast/testkit'
import { runCli } from './support/cli.js'

let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

interface Finding {
  readonly check: string
  readonly status: string
  readonly text: string
  readonly permissions?: Record<string, boolean>
}

async function examine(
  url = server.url,
  ...args: string[]
): Promise<{ code: number | null; findings: Finding[] }> {
  const { code, stdout } = await runCli(['doctor', '--json', ...args], { url })
  const findings = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Finding]))
  return { code, findings }
}

const statusOf = (findings: readonly Finding[], check: string): string | undefined =>
  findings.find((finding) => finding.check === check)?.status

/** As docs/stores/redis.md has it, with all that it calls optional. */
const rules =
  'resetchannels ~lock:* ~{lock:* ~holdfast:client:* &holdfast:inbox:* +evalsha +eval +info +time +ping +publish +subscribe +pubsub|numsub +client|setname +type +pttl +pexpire +del +exists +get +set +hget +hset +hsetnx +hdel +hgetall +hrandfield +hlen +llen +lpop +lpos +lpush +lrange +lrem +rpush'.split(
    ' ',
  )
const furtherRules =
  '+hexists +hmget +lindex +ltrim +pexpireat +zadd +zcount +zrange +zrangebyscore +zrem +zremrangebyscore +zscore +sadd +scard +srandmember +scan +dbsize +pubsub|channels'.split(
    ' ',
  )

async function userWith(words: readonly string[]): Promise<string> {
  const name = uniqueName('user')
  await server.call('ACL', 'SETUSER', name, 'on', '>secret', ...words)
  return server.url.replace('redis://', `redis://${name}:secret@`)
}

describe('holdfast doctor', () => {
  it('finds a fresh server fit, and says that it has no replica', async () => {
    const { code, findings } = await examine()
    expect(code).toBe(0)
    // The round trip may be slow on a busy machine.
    const others = findings.filter(({ check, status }) => status !== 'ok' && check !== 'round trip')
    expect(others.map(({ check, status }) => [check, status])).toEqual([['replicas', 'warning']])
    expect(['ok', 'warning']).toContain(statusOf(findings, 'round trip'))
    expect(findings.map(({ check }) => check)).toEqual([
      'lock',
      'round trip',
      'version',
      'role',
      'eviction',
      'replicas',
      'connections',
      'permissions for locks',
      'optional permissions',
      'permissions for read/write locks and semaphores',
      'permissions for latches',
      'permissions for operators',
      'clients',
      'unrelated keys',
    ])
  })

  it('leaves no key behind that stays', async () => {
    await examine()
    const keys = (await server.call('KEYS', '*')) as string[]
    for (const key of keys) expect(await server.call('PTTL', key)).toBeGreaterThan(0)
  })

  it('fails a server that may evict locks, and one with unrelated keys under the prefix', async () => {
    await using own = await startRedis({
      args: ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'],
    })
    await own.call('RPUSH', 'lock:foreign', 'x')
    const { code, findings } = await examine(own.url)
    expect(code).toBe(1)
    expect(findings.filter(({ status }) => status === 'failed').map(({ check }) => check)).toEqual([
      'eviction',
      'unrelated keys',
    ])
  })

  it('finds a user with all permissions of the documentation fit', async () => {
    const { code, findings } = await examine(await userWith([...rules, ...furtherRules]))
    const { permissions } = findings.find(({ check }) => check === 'permissions for locks') ?? {}
    expect(Object.values(permissions ?? {}).every(Boolean)).toBe(true)
    expect(findings.filter(({ status }) => status !== 'ok' && status !== 'warning')).toEqual([])
    expect(code).toBe(0)
  })

  it('names what a user lacks who may use locks only', async () => {
    const { code, findings } = await examine(await userWith(rules))
    expect(code).toBe(0)
    expect(statusOf(findings, 'clients')).toBe('unknown')
    expect(statusOf(findings, 'unrelated keys')).toBe('unknown')
    expect(statusOf(findings, 'permissions for locks')).toBe('ok')
    expect(findings.find(({ check }) => check === 'permissions for operators')).toMatchObject({
      status: 'warning',
      text: expect.stringContaining('+scan +dbsize +pubsub|channels') as string,
    })
  })

  it.each([
    '+lpos',
    '+hsetnx',
    '+subscribe',
    '+evalsha',
    '+time',
    '&holdfast:inbox:*',
    '~holdfast:client:*',
    '~{lock:*',
  ])('names the one permission that is missing: %s', async (missing) => {
    const url = await userWith([...rules, ...furtherRules].filter((rule) => rule !== missing))
    const { findings } = await examine(url)
    const { status, permissions = {} } = findings.find(({ check }) => check === 'permissions for locks') ?? {}
    const named: Record<string, string[]> = {
      '&holdfast:inbox:*': ['+publish', '+subscribe'],
      '~holdfast:client:*': ['keys of clients'],
      '~{lock:*': ['keys of queues'],
    }
    expect(status).toBe('failed')
    expect(Object.keys(permissions).filter((name) => !permissions[name])).toEqual(named[missing] ?? [missing])
  })

  it('exits with 69 when the store cannot be reached, and with its findings when the password is wrong', async () => {
    expect((await runCli(['doctor', '--timeout', '500ms'], { url: 'redis://127.0.0.1:1' })).code).toBe(69)
    const { code, findings } = await examine(server.url.replace('redis://', 'redis://nobody:wrong@'))
    expect(code).toBe(1)
    expect(statusOf(findings, 'lock')).toBe('failed')
    expect(findings.find(({ check }) => check === 'server')?.text).toMatch(/^WRONGPASS /)
  })

  it('says once that there is no such database, and what else it sees of the server', async () => {
    const { code, stdout, stderr } = await runCli(['doctor'], { url: `${server.url}/99` })
    expect(code).toBe(1)
    expect(stdout.match(/it has no such database/g)).toHaveLength(1)
    expect(stdout).toMatch(/^ok +version/m)
    // No warning that the server could not be looked at.
    expect(stderr).toBe('')
  })
})
