import { RefusedError } from '@holdfast/core'
import {
  makeCertificate,
  scratchFolder,
  skippedIf,
  startEtcd,
  until,
  whyNoCertificate,
  type EtcdServer,
} from '@holdfast/testkit'
import { Clients, failureOf } from './support/clients.js'
import { base64, Gateway } from './support/gateway.js'

const clients = new Clients()

afterEach(() => clients.closeAll())

describe('users', () => {
  let server: EtcdServer
  let gateway: Gateway

  beforeAll(async () => {
    server = await startEtcd()
    gateway = new Gateway(server.url)
    for (const name of ['root', 'app', 'other']) {
      await gateway.post('auth/user/add', { name, password: `${name}-secret` })
      await gateway.post('auth/role/add', { name })
      await gateway.post('auth/user/grant', { user: name, role: name })
    }
    const perm = { permType: 'READWRITE', key: base64('holdfast/'), range_end: base64('holdfast0') }
    await gateway.post('auth/role/grant', { name: 'app', perm })
    await gateway.post('auth/enable', {})
  })

  afterAll(() => server.stop())

  const open = (username?: string, password?: string) =>
    clients.open({
      hosts: [server.url],
      ...(username !== undefined && { username, password: password ?? '' }),
    })

  it('hand a lock on', async () => {
    const [first, second] = [open('app', 'app-secret'), open('app', 'app-secret')]
    const lease = await first.getLock('x').lock()
    const waiting = second.getLock('x').lock()
    await until(async () => (await first.getLock('x').inspect()).waiters.length === 1)
    await lease.unlock()
    await (await waiting).unlock()
  })

  it.each([
    [
      'a wrong password',
      ['app', 'wrong'],
      /etcd at http:.* rejected the password of user app: check username and password/,
    ],
    ['an unknown user', ['nobody', 'x'], /rejected the password of user nobody/],
    ['no user', [], /has users: give etcd\(\) the username and password of one/],
    [
      'a role without the prefix',
      ['other', 'other-secret'],
      /does not permit user other to use keys below holdfast\/; its role needs: etcdctl role grant-permission <role> readwrite --prefix=true holdfast\//,
    ],
  ])('refuse %s at once, and say the way out', async (_, [username, password], told) => {
    const failed = await failureOf(open(username, password).getLock('x').lock({ waitMs: 60_000 }))
    expect(failed).toBeInstanceOf(RefusedError)
    expect(String(failed)).toMatch(told)
    expect(String(failed)).not.toMatch(/secret|wrong/)
  })

  it('get a new token when the server has forgotten theirs, and keep what they hold', async () => {
    const [holder, rival] = [open('app', 'app-secret'), open('app', 'app-secret')]
    const lease = await holder.getLock('x').lock()
    await gateway.authenticate('root', 'root-secret')
    // That ends all tokens of the user.
    await gateway.post('auth/user/changepw', { name: 'app', password: 'app-secret' })
    const waiting = rival.getLock('x').lock()
    await until(async () => (await holder.getLock('x').inspect()).waiters.length === 1)
    expect(lease.isHeld).toBe(true)
    await server.restart()
    await until(async () => (await holder.getLock('x').inspect()).waiters.length === 1)
    await lease.unlock()
    await (await waiting).unlock()
  })
})

describe('TLS', () => {
  skippedIf(whyNoCertificate, it)('needs the certificate of the authority, and says so', async () => {
    const folder = await scratchFolder()
    const { keyFile, certFile, ca } = makeCertificate(folder.path)
    const server = await startEtcd({ tls: { keyFile, certFile, ca } })
    try {
      await clients
        .open({ hosts: [server.url], tls: { ca } })
        .getLock('x')
        .withLock(() => undefined)
      const failed = await failureOf(
        clients
          .open({ hosts: [server.url] })
          .getLock('x')
          .tryLock(),
      )
      expect(failed).toBeInstanceOf(RefusedError)
      expect(String(failed)).toMatch(
        /cannot be used: self.signed certificate; if it is yours, pass its authority's certificate: tls: \{ ca \}/,
      )
    } finally {
      await clients.closeAll()
      await server.stop()
      await folder.remove()
    }
  })
})
