import { Holdfast } from '@holdfast/core'
import { memcached } from '@holdfast/stores/memcached'
import {
  startEtcd,
  startEtcdCluster,
  startMemcached,
  startZooKeeper,
  startZooKeeperEnsemble,
  until,
  type EtcdServer,
  type LocalZooKeeper,
} from '@holdfast/testkit'
import { runCli } from './support/cli.js'

/** What `doctor` says, by check, and its exit code. */
async function examine(url: string, ...args: string[]): Promise<Record<string, string | number | null>> {
  const options = { url: '', env: { HOLDFAST_URL: url } }
  const { code, stdout } = await runCli(['doctor', '--json', ...args], options)
  const found: Record<string, string | number | null> = { code }
  for (const line of stdout.split('\n').filter(Boolean)) {
    const { check, status, text } = JSON.parse(line) as Record<'check' | 'status' | 'text', string>
    found[check] = `${status}: ${text}`
  }
  return found
}

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern)

describe('holdfast doctor, of ZooKeeper,', () => {
  let server: LocalZooKeeper

  beforeAll(async () => {
    server = await startZooKeeper()
  })
  afterAll(() => server.stop())

  it('finds one server with open nodes fit, and warns of both', async () => {
    expect(await examine(`zk://${server.connect}`)).toMatchObject({
      code: 0,
      sessions: 'ok: 30 s; servers grant 0.1 s to 120 s',
      ticks: 'ok: 0.05 s (tickTime), clients take off 2 s (tickMs)',
      servers: matching(/^ok: 127\.0\.0\.1:\d+ standalone 3\.\d/),
      ensemble: matching(/^warning: one server: .* run three$/),
      'access list': matching(
        /^warning: everyone who can connect may write \/holdfast, .*\/mail, and so take/,
      ),
      'node types': 'ok: containers; TTL nodes are on',
      'unrelated keys': matching(/^ok: /),
    })
  })

  it.each([
    ['200s', /^warning: clients want 200 s, servers grant 0\.1 s to 120 s: .* raise maxSessionTimeout/],
    ['5s', /^warning: 5 s: an election or a pause may take as long/],
  ])('warns of sessions of %s', async (watchdog, told) => {
    const { sessions } = await examine(`zk://${server.connect}`, '--watchdog', watchdog)
    expect(sessions).toEqual(matching(told))
  })

  it('finds three servers with an access list fit, and names one that does not reply', async () => {
    await using ensemble = await startZooKeeperEnsemble(3)
    const url = `zk://app:secret@${ensemble.connect}`
    expect(await examine(url)).toMatchObject({
      code: 0,
      ensemble: 'ok: 3 servers vote: 1 may fail',
      servers: matching(/^ok: .* leader /),
      'access list': 'ok: nodes below /holdfast are not open to everyone',
    })
    const [first] = ensemble.servers
    await first?.kill()
    expect(await examine(url)).toMatchObject({
      code: 0,
      servers: `warning: no reply from ${first?.connect}`,
    })
  })
})

describe('holdfast doctor, of etcd,', () => {
  const urlOf = (...servers: EtcdServer[]): string =>
    `etcd://${servers.map(({ host, port }) => `${host}:${port}`).join(',')}`
  let server: EtcdServer

  beforeAll(async () => {
    server = await startEtcd()
  })
  afterAll(() => server.stop())

  it('finds one server fit, and warns of its being alone, open to everyone, and never compacted', async () => {
    expect(await examine(urlOf(server))).toMatchObject({
      code: 0,
      sessions: 'ok: 30 s; the shortest that etcd grants is 2 s',
      cluster: matching(/^warning: one server: .* run three$/),
      servers: matching(/^(ok|warning): http:.* leads, 3\.\d/),
      alarms: 'ok: none',
      space: matching(/^ok: \d+ MiB of 2,048 MiB/),
      compaction: matching(/^unknown: there was none so far, in \d+ revisions: set --auto-compaction-mode/),
      users: matching(/^warning: everyone who can connect may take any lock/),
    })
    // No lease stays behind that would end later, and no key.
    expect(await post(server, 'lease/leases', {})).not.toHaveProperty('leases')
  })

  it('counts what came after the last compaction', async () => {
    const { header } = await post(server, 'kv/put', { key: base64('other') })
    await post(server, 'kv/compaction', { revision: header?.revision })
    await post(server, 'kv/put', { key: base64('other') })
    // The lock of the doctor's own adds some.
    const { compaction } = await examine(urlOf(server))
    expect(compaction).toEqual(matching(/^ok: \d revisions since the last one$/))
  })

  it('warns of sessions that are shorter than an election may take', async () => {
    const { sessions } = await examine(urlOf(server), '--watchdog', '5s')
    expect(sessions).toEqual(matching(/^warning: 5 s: .* from 10 s they outlast it$/))
  })

  it('fails a full one', async () => {
    await using full = await startEtcd()
    const { header } = await post(full, 'kv/put', { key: base64('other') })
    await post(full, 'maintenance/alarm', {
      action: 'ACTIVATE',
      memberID: header?.member_id,
      alarm: 'NOSPACE',
    })
    expect(await examine(urlOf(full))).toMatchObject({
      code: 1,
      lock: matching(/^failed: .* is full and takes no writes/),
      alarms: matching(/^failed: NOSPACE: compact and defragment/),
    })
  })

  it('finds three servers with users fit', async () => {
    const servers = await startEtcdCluster(3)
    try {
      const [first] = servers
      if (!first) throw new Error('no server')
      for (const name of ['root', 'app']) {
        await post(first, 'auth/user/add', { name, password: 'secret' })
        await post(first, 'auth/role/add', { name })
        await post(first, 'auth/user/grant', { user: name, role: name })
      }
      const perm = { permType: 'READWRITE', key: base64('holdfast/'), range_end: base64('holdfast0') }
      await post(first, 'auth/role/grant', { name: 'app', perm })
      await post(first, 'auth/enable', {})
      expect(await examine(urlOf(...servers).replace('//', '//app:secret@'))).toMatchObject({
        code: 0,
        cluster: 'ok: 3 servers vote: 1 may fail',
        users: 'ok: clients have to authenticate',
      })
    } finally {
      await Promise.all(servers.map((each) => each.stop()))
    }
  })
})

describe('holdfast doctor, of memcached,', () => {
  it('finds a server with -M fit, and warns of its being open to everyone', async () => {
    await using server = await startMemcached()
    // The first client says for how long no lock can be acquired.
    const first = new Holdfast({ engine: memcached({ url: server.url, graceMs: 3_000 }) })
    expect(await first.getLock('a').isLocked()).toBe(false)
    await first.close()
    expect(await examine(server.url)).toMatchObject({
      code: 0,
      lock: matching(/^warning: no client can acquire a lock just now/),
      data: matching(/^warning: all was lost \d s ago, or is new; no lock can be acquired for \d000 ms/),
    })
    await until(async () => (await examine(server.url))['lock'] === 'ok: acquired and released a lock')
    expect(await examine(server.url)).toMatchObject({
      code: 0,
      server: matching(/^ok: memcached 1\.\d+\.\d+/),
      CAS: 'ok: on',
      evictions: 'ok: off (-M)',
      memory: matching(/^ok: [01] MiB of 64 MiB$/),
      data: matching(/^ok: kept for \d+ s, the server has run for \d+ s$/),
      users: matching(/^warning: everyone who can connect may take any lock/),
      clients: matching(/^unknown: memcached at 127\.0\.0\.1:\d+ can list neither clients nor locks$/),
    })
  })

  it.each([
    [
      ['-m', '4'],
      {
        evictions: matching(/^failed: on, none so far: .* start it with -M$/),
        memory: matching(/^ok: [01] MiB of 4 MiB$/),
      },
    ],
    [['-M', '-C'], { CAS: matching(/^failed: off \(-C\): Holdfast cannot keep locks here/) }],
  ])('fails one with %j, which no lock can use', async (args, found) => {
    await using server = await startMemcached(args)
    expect(await examine(server.url)).toMatchObject({
      code: 1,
      lock: matching(/^failed: memcached at .* cannot be used/),
      ...found,
    })
  })
})

const base64 = (text: string): string => Buffer.from(text).toString('base64')

interface Reply {
  readonly header?: { readonly revision: string; readonly member_id: string }
}

/** By etcd's own gateway for JSON. */
async function post({ url }: EtcdServer, path: string, body: object): Promise<Reply> {
  const reply = await fetch(`${url}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(`${path}: ${await reply.text()}`)
  return (await reply.json()) as Reply
}
