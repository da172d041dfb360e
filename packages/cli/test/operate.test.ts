import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { LockLostError, type Holdfast } from '@holdfast/core'
import { nodeRedis } from '@holdfast/core/node-redis'
import { sharedRedisUrl, skippedIf, startRedis, uniqueName, until, type RedisServer } from '@holdfast/testkit'
import { createClient } from 'redis'
import { Cli, runCli, runCliUntil } from './support/cli.js'
import { openHolder } from './support/holder.js'

let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())
afterEach(() => server.call('FLUSHALL'))

const cli = (...args: string[]) => runCli(args, { url: server.url })
const cliUntil = (pattern: RegExp, ...args: string[]) => runCliUntil(pattern, args, { url: server.url })
const holder = (label = 'billing'): Holdfast => openHolder({ redis: server.url, label })

/** The lines of `--json`, by their type. */
function linesOf(stdout: string, type: string): Record<string, unknown>[] {
  const lines = stdout.split('\n').filter((line) => line !== '')
  const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  for (const line of all) expect(line['version']).toBe(1)
  return all.filter((line) => line['type'] === type)
}

/** Everything that a terminal might act on. */
const hostile = '\x1b]0;owned\x07\x9b31m\u202egpj\u2028\r\nspoofed'

describe('holdfast ls', () => {
  it('lists what is held, by whom and for how long', async () => {
    const holdfast = holder()
    await using _lock = await holdfast.getLock('order:42').lock()
    await using _permit = await holdfast.getSemaphore('api', { permits: 3 }).acquire()
    const { code, stdout, stderr } = await cli('ls')
    expect(code).toBe(0)
    const rows = stdout.trim().split('\n')
    expect(rows[0]).toMatch(/^NAME +OBJECT +LEFT +WAITING +HOLDER$/)
    const place = `${hostname()}, pid ${process.pid}, billing (${holdfast.clientId}:1)`
    expect(rows.find((row) => row.startsWith('order:42'))).toMatch(/^order:42 +lock +(30|2\d) s +0 /)
    expect(rows.find((row) => row.startsWith('order:42'))).toContain(place)
    expect(rows.find((row) => row.startsWith('api'))).toMatch(/^api +semaphore /)
    expect(stderr).toMatch(/2 found; scanned (\d+) of \1 keys/)
  })

  it('says where a holder ran that is gone, as inspect does', async () => {
    const holdfast = holder()
    await holdfast.getLock('kept').withLock({ atLeastMs: 60_000 }, () => undefined)
    await holdfast.close()
    const place = `${hostname()}, pid ${process.pid}, billing (${holdfast.clientId}:1`
    expect((await cli('inspect', 'kept')).stdout).toContain(place)
    expect((await cli('ls')).stdout).toContain(place)
  })

  it('scans no further than its reader reads', async () => {
    const script = `for i = 1, 10000 do
      redis.call('HSET', 'lock:' .. i, 'vanished:' .. i, 1) redis.call('PEXPIRE', 'lock:' .. i, 600000) end`
    await server.call('EVAL', script, '0')
    const scans = async (): Promise<number> =>
      Number(/cmdstat_scan:calls=(\d+)/.exec(String(await server.call('INFO', 'commandstats')))?.[1] ?? 0)
    const stalled = new Cli(['ls', '--json'], { url: server.url, isRead: false })
    let seen = 0
    await until(
      async () => {
        const before = seen
        seen = await scans()
        return seen > 0 && seen === before
      },
      { everyMs: 500, what: 'the scan to pause' },
    )
    stalled.read()
    const { stdout } = await stalled.ended()
    expect(linesOf(stdout, 'lock')).toHaveLength(10_000)
    expect(await scans()).toBeGreaterThan(2 * seen)
  })

  it('lists what matches, what others wait for, and no more than asked', async () => {
    const holdfast = holder()
    const names = ['order:1', 'order:2', 'stock:1']
    const leases = await Promise.all(names.map((name) => holdfast.getLock(name).lock()))
    const waiting = holdfast.getLock('order:2').lock()
    await until(async () => (await holdfast.getLock('order:2').inspect()).waiterCount === 1)
    const list = async (...args: string[]) => linesOf((await cli('ls', '--json', ...args)).stdout, 'lock')
    expect((await list('order:*')).map(({ name }) => name).sort()).toEqual(['order:1', 'order:2'])
    expect(await list('--contended')).toMatchObject([{ name: 'order:2', waiterCount: 1, object: 'lock' }])
    expect(await list('--limit', '2')).toHaveLength(2)
    await Promise.all(leases.map((lease) => lease.unlock()))
    await (await waiting).unlock()
  })

  it('ends with how much of the store was scanned, and what else is there', async () => {
    await server.call('RPUSH', 'lock:foreign', 'x')
    const [summary] = linesOf((await cli('ls', '--json')).stdout, 'summary')
    expect(summary).toMatchObject({ found: 0, foreign: 1, isComplete: true })
    expect((await cli('ls')).stderr).toContain('1 under the prefix of locks is none')
  })

  it('asks for --scan before it looks at more than a million keys', async () => {
    await using large = await startRedis()
    for (let part = 0; part < 55; part += 1) {
      const script = 'for i = 1, 20000 do redis.call("SET", ARGV[1] .. i, "") end'
      await large.call('EVAL', script, 0, `k${part}:`)
    }
    const { code, stdout, stderr } = await runCli(['ls'], { url: large.url })
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toMatch(/1,100,0\d\d keys.*add --scan/)
  })

  it('shows hostile names and labels as text', async () => {
    const holdfast = holder(hostile)
    await using _lease = await holdfast.getLock(hostile).lock()
    for (const args of [['ls'], ['inspect', hostile], ['ls', '--json'], ['unlock', hostile]]) {
      const { stdout, stderr } = await cliUntil(/owned/, ...args)
      expect(stdout + stderr).not.toMatch(/[^\n\P{C}]|[\u2028]/u)
      expect(`${stdout}${stderr}`.split('\n').filter((line) => line.startsWith('spoofed'))).toEqual([])
    }
  })
})

describe('holdfast inspect', () => {
  it('says since when a lock is held, and who waits', async () => {
    const holdfast = holder()
    await using _lease = await holdfast.getLock('order:42').lock()
    const waiting = new Cli(['run', 'order:42', '--', 'true'], { url: server.url })
    await until(async () => (await holdfast.getLock('order:42').inspect()).waiterCount === 1)
    const { stdout } = await cliUntil(
      /HELD BY +FOR +LEASE LEFT\n.*, billing \(.*:1\) +[\d.]+ m?s +\d+ s\n\nWAITING +FOR +ENTRY LEFT\n.*holdfast run true.* +[\d.]+ m?s +\d+ s\n/,
      'inspect',
      'order:42',
    )
    expect(stdout).toMatch(/^lock order:42: held, last fencing token \d+\n/)
    const [info] = linesOf((await cli('inspect', 'order:42', '--json')).stdout, 'inspection')
    expect(info).toMatchObject({ object: 'lock', name: 'order:42', waiterCount: 1, holderCount: 1 })
    expect(info?.['holders']).toMatchObject([{ client: { label: 'billing', pid: process.pid } }])
    waiting.kill('SIGTERM')
    await waiting.ended()
  })

  it('shows the token of a hold that the store has kept for so long that it forgot it', async () => {
    await using lease = await holder().getLock('order:42').lock()
    // As its time to live does, a minute after the grant.
    await server.call('DEL', '{lock:order:42}:fence')
    await cliUntil(new RegExp(`held, last fencing token ${lease.fencingToken}\\n`), 'inspect', 'order:42')
  })

  it('shows every object of that name that is in use, or the one asked for', async () => {
    const holdfast = holder()
    await using _read = await holdfast.getReadWriteLock('stock').read.lock()
    await using _permits = await holdfast.getSemaphore('stock', { permits: 5 }).acquire({ permits: 2 })
    await holdfast.getCountDownLatch('stock').trySetCount(3)
    const { stdout } = await cli('inspect', 'stock')
    expect(stdout).toMatch(
      /read\/write lock stock: held[^]* read\n\nsemaphore stock: held[^]* 2 permits\n\nlatch stock: 0 of 3/,
    )
    expect((await cli('inspect', 'stock', '--object', 'lock')).stdout).toBe('lock stock: free\n')
    expect((await cli('inspect', 'nothing')).stdout).toBe('lock nothing: free\n')
  })

  it('says that a key holds other data only if nothing of that name is in use', async () => {
    await server.call('RPUSH', 'lock:stock', 'x')
    const refused = await cli('inspect', 'stock')
    expect(refused).toMatchObject({ code: 77, stderr: expect.stringContaining('holds a list') as unknown })
    await using _permits = await holder().getSemaphore('stock', { permits: 5 }).acquire()
    const shown = await cli('inspect', 'stock')
    expect(shown).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^semaphore stock: held/) as unknown,
    })
  })
})

describe('holdfast unlock', () => {
  it.each(['ioredis', 'node-redis'])(
    'evicts the owner that was shown, and lets it know by whom, over %s',
    async (library) => {
      const redis = library === 'ioredis' ? server.url : nodeRedis(createClient({ url: server.url }))
      const holdfast = openHolder({ redis })
      const lease = await holdfast.getLock('order:42').lock()
      const lost = new Promise((resolve) =>
        lease.signal.addEventListener('abort', () => resolve(lease.signal.reason)),
      )
      const ended = await cli('unlock', 'order:42', '--owner', lease.owner, '--yes', '--by', 'ada@ops')
      expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('evicted') as unknown })
      const error = await lost
      expect(error).toBeInstanceOf(LockLostError)
      expect(error).toMatchObject({ reason: 'revoked', by: 'ada@ops' })
    },
  )

  it('evicts readers, writers and holders of permits', async () => {
    const holdfast = holder()
    const read = await holdfast.getReadWriteLock('stock').read.lock()
    const write = await holdfast.getReadWriteLock('prices').write.lock()
    const permit = await holdfast.getSemaphore('api', { permits: 1 }).acquire()
    for (const lease of [read, write, permit]) {
      const { code } = await cli('unlock', lease.name, '--owner', lease.owner, '--yes')
      expect(code).toBe(0)
      await until(() => !lease.isHeld)
    }
  })

  it('evicts nobody when another holds the lock by now', async () => {
    const holdfast = holder()
    const first = await holdfast.getLock('order:42').lock()
    await first.unlock()
    await using second = await holdfast.getLock('order:42').lock()
    const { code, stderr } = await cli('unlock', 'order:42', '--owner', first.owner, '--yes')
    expect(code).toBe(1)
    expect(stderr).toContain('no holder was evicted')
    expect(second.isHeld).toBe(true)
  })

  it('names the holders when it is not told whom to evict', async () => {
    const holdfast = holder()
    await using lease = await holdfast.getLock('order:42').lock()
    const { code, stderr } = await cli('unlock', 'order:42', '--yes')
    expect(code).toBe(64)
    expect(stderr).toContain(`--owner ${lease.owner} `)
  })

  it('evicts nobody when nobody holds it', async () => {
    expect(await cli('unlock', 'order:42')).toMatchObject({
      code: 1,
      stderr: 'holdfast: order:42 is not held; no holder was evicted\n',
    })
  })

  it('does nothing without --yes when there is no terminal to ask at', async () => {
    const holdfast = holder()
    await using lease = await holdfast.getLock('order:42').lock()
    const { code, stderr } = await cli('unlock', 'order:42', '--owner', lease.owner)
    expect(code).toBe(64)
    expect(stderr).toContain('add --yes')
    expect(await holdfast.getLock('order:42').isLocked()).toBe(true)
  })
})

describe('--every', () => {
  it('shows again and again what there is, until Ctrl-C', async () => {
    const holdfast = holder()
    const inspect = new Cli(['inspect', 'order:42', '--every', '500ms', '--json'], { url: server.url })
    const ls = new Cli(['ls', '--every', '500ms', '--json'], { url: server.url })
    await Promise.all([inspect.untilStdout(/"holderCount":0/), ls.untilStdout(/"found":0/)])
    const lease = await holdfast.getLock('order:42').lock()
    await Promise.all([inspect.untilStdout(/"holderCount":1/), ls.untilStdout(/"found":1/)])
    await lease.unlock()
    await Promise.all([
      inspect.untilStdout(/"holderCount":1[^]*"holderCount":0/),
      ls.untilStdout(/"found":1[^]*"found":0/),
    ])
    for (const cli of [inspect, ls]) {
      cli.kill('SIGINT')
      expect((await cli.ended()).code).toBe(0)
    }
  })

  it('goes on through an outage', async () => {
    const own = await startRedis()
    const args = ['inspect', 'order:42', '--every', '500ms', '--timeout', '1s', '--json']
    const inspect = new Cli(args, { url: own.url })
    await inspect.untilStdout(/"holderCount":0/)
    await own.kill()
    await inspect.untilStderr(/unavailable/)
    await own.restart()
    const holdfast = openHolder({ redis: own.url })
    const lease = await holdfast.getLock('order:42').lock()
    await inspect.untilStdout(/"holderCount":1/)
    inspect.kill('SIGTERM')
    expect((await inspect.ended()).code).toBe(0)
    await lease.unlock()
    await holdfast.close()
    await own.stop()
  })

  it('ends at a signal while the store does not reply', async () => {
    const own = await startRedis()
    const inspect = new Cli(['inspect', 'x', '--every', '500ms', '--timeout', '60s', '--json'], {
      url: own.url,
    })
    await inspect.untilStdout(/"holderCount":0/)
    await own.freeze()
    inspect.kill('SIGINT')
    expect((await inspect.ended()).code).toBe(0)
    await own.stop()
  })
})

describe('whatever the command', () => {
  it('a reader that has seen enough of the output ends it quietly', async () => {
    const { code, stderr } = await runCli(['inspect', uniqueName('x')], {
      url: sharedRedisUrl(),
      under: (line) => ['sh', '-c', `${line} | true; exit 7`],
    })
    expect({ code, stderr }).toEqual({ code: 7, stderr: '' })
  })

  it('a slow reader gets all of the output', async () => {
    const holdfast = holder('x'.repeat(256))
    const names = Array.from({ length: 400 }, (_, i) => `${'x'.repeat(200)}${i}`)
    const leases = await Promise.all(names.map((name) => holdfast.getLock(name).lock()))
    const { stdout } = await runCli(['ls', '--json'], {
      url: server.url,
      // More than a pipe takes at once, and all of it before the first is read.
      under: (line) => ['sh', '-c', `${line} | { sleep 2; cat; }`],
    })
    expect(linesOf(stdout, 'lock')).toHaveLength(names.length)
    expect(linesOf(stdout, 'summary')).toHaveLength(1)
    await Promise.all(leases.map((lease) => lease.unlock()))
  })

  const full = '/dev/full'
  const whyNotFull = !existsSync(full) && `there is no ${full} here, as on macOS`

  skippedIf(whyNotFull, it)('output that cannot be written is a failure', async () => {
    const { code, stderr } = await runCli(['inspect', uniqueName('x')], {
      under: (line) => ['sh', '-c', `${line} >${full}`],
    })
    expect(code).toBe(125)
    expect(stderr).toMatch(/^holdfast: could not write the output: .*ENOSPC/)
  })

  it.each(['redis://127.0.0.1:1', 'postgres://127.0.0.1:1/x', 'postgres://u:100%@/x?host=/nowhere'])(
    'a store that cannot be reached is a failure: %s',
    async (url) => {
      const { code, stderr } = await runCli(['ls', '--timeout', '1s'], {
        url: '',
        env: { HOLDFAST_URL: url },
      })
      expect(stderr).toMatch(/^holdfast: .*(unavailable|could not reach|did not reply)/)
      expect(code).toBe(69)
    },
  )

  const commands = [['ls'], ['inspect', 'x'], ['unlock', 'x'], ['doctor']]
  const refused = /^holdfast: (Redis|PostgreSQL) at \S+ is unavailable: connect ECONNREFUSED 127.0.0.1:1\n$/
  it.each([
    [['--url', 'redis://127.0.0.1:1'], refused],
    [['--url', 'postgres://127.0.0.1:1/x'], refused],
    [
      ['--cluster', '127.0.0.1:1'],
      /^holdfast: Redis Cluster at 127.0.0.1:1 is unavailable: could not connect/,
    ],
    [
      ['--sentinels', '127.0.0.1:1'],
      /^holdfast: Redis master mymaster of Sentinel at 127.0.0.1:1 is unavailable: could not connect/,
    ],
  ])(
    'says that %j cannot be reached, and nothing else, at once',
    async (way, expected) => {
      // A command to the store may take longer than this test.
      const runs = commands.map((args) => runCli([...args, ...way, '--timeout', '100s'], { url: '' }))
      for (const { code, stderr } of await Promise.all(runs)) {
        expect(stderr).toMatch(expected)
        expect(code).toBe(69)
      }
    },
    60_000,
  )

  it('what each of several connections warns of is said once', async () => {
    await server.call('ACL', 'SETUSER', 'curt', 'on', '>secret', '~*', '&*', '+@all', '-info')
    const { code, stderr } = await cli('ls', '--url', server.url.replace('//', '//curt:secret@'))
    expect(stderr.match(/could not be read/g)).toHaveLength(1)
    expect(code).toBe(0)
  })

  it('inspect says which objects of the name its user may not read', async () => {
    const name = uniqueName('left-out')
    const ofLocks = ['~*', '&*', '+@all', '-zrange', '-hmget']
    await server.call('ACL', 'SETUSER', 'ofLocks', 'on', '>secret', ...ofLocks)
    const { code, stdout, stderr } = await cli(
      'inspect',
      name,
      '--url',
      server.url.replace('//', '//ofLocks:secret@'),
    )
    expect(stdout).toContain(`lock ${name}: free`)
    expect(stderr).toMatch(new RegExp(`^holdfast: semaphore ${name} is left out: .*lacks \\+hmget`, 'm'))
    expect(code).toBe(0)
  })

  it('names a database that does not exist, and nothing else', async () => {
    const { code, stderr } = await cli('ls', '--url', `${server.url}/99`)
    expect(stderr).toMatch(/^holdfast: Redis at \S+ rejected the command: it has no such database: .*\n$/)
    expect(code).toBe(77)
  })

  it('empty variables are as good as none', async () => {
    const env = { HOLDFAST_URL: '', HOLDFAST_CLUSTER: '', HOLDFAST_SENTINEL: '', HOLDFAST_SENTINELS: '' }
    expect(await runCli(['ls'], { url: server.url, env })).toMatchObject({ code: 0 })
  })

  it.each([
    [['ls', '--cluster', 'x y'], '--cluster must be a list such as'],
    [['ls', '--schema', 'x'], '--schema does not apply to Redis'],
    [['ls', '--url', 'redis://:100%@x'], '% as %25'],
    [['ls', '--url', 'postgres://u:p#x@y'], 'url is not a valid URL: special characters in a password'],
    [['ls', '--url', 'postgres://x', '--prefix', 'y'], '--prefix does not apply to PostgreSQL'],
    [['ls', '--min-replicas', '1'], '--min-replicas does not apply to Redis'],
    [['ls', '--url', 'zk://x', '--schema', 'y'], '--schema does not apply to ZooKeeper'],
    [['ls', '--url', 'etcd://x,', '--timeout', '1s'], 'the URL of etcd is not valid'],
    [['ls', '--url', 'memcached://x,'], 'the URL of memcached is not valid'],
    [['ls', '--url', 'memcached://x,y'], 'HoldfastQuorum over three memcacheds'],
    [['ls', '--url', 'memcached://x', '--schema', 'y'], '--schema does not apply to memcached'],
    [
      ['ls', '--url', 'localhost:6379'],
      'it must start with redis://, rediss://, unix:///, postgres://, zk://, etcd://, memcached:// or mysql://',
    ],
    [
      ['ls', '--url', '/run/redis.sock'],
      'it must start with redis://, rediss://, unix:///, postgres://, zk://, etcd://, memcached:// or mysql://',
    ],
    [['ls', '--timeout', '0'], '--timeout must be longer than 0'],
    [['nonsense'], "unknown command 'nonsense'"],
    [['--url', 'redis://x', 'ls'], 'options follow the command, as in holdfast ls --url'],
    [['inspect', 'x', '--every', '10ms'], 'at least 500ms'],
    [['ls', '--every', '1000h'], 'at most 24h'],
    [['ls', '--every', '1'], 'Give a number and a unit: 500ms, 30s, 5m, 2h.'],
    [['dashboard', '--port', ''], 'from 0 to 65535'],
  ])('%j is refused with a reason', async (args, reason) => {
    const { code, stderr } = await runCli(args)
    expect(stderr).toContain(reason)
    expect(code).toBe(64)
  })
})
