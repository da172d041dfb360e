import { NoServerError, openEtcd, startEtcd, until } from '../src/index.js'

const given = process.env['ETCD_URL']

afterEach(() => {
  if (given === undefined) delete process.env['ETCD_URL']
  else process.env['ETCD_URL'] = given
})

it('uses the server that ETCD_URL names, and no other', async () => {
  process.env['ETCD_URL'] = 'http://etcd.invalid:2379'
  expect(await openEtcd()).toMatchObject({ url: 'http://etcd.invalid:2379', origin: 'ETCD_URL' })
})

it('passes over what does not start, and says at the end how to get one', async () => {
  delete process.env['ETCD_URL']
  const failing = (): Promise<never> => Promise.reject(new Error('it does not start'))
  const none = (): Promise<null> => Promise.resolve(null)
  const opened = { url: 'http://127.0.0.1:1', origin: 'a test', stop: () => Promise.resolve() }
  expect(await openEtcd([failing, none, () => Promise.resolve(opened)])).toBe(opened)
  await expect(openEtcd([failing, none])).rejects.toThrow(NoServerError)
  await expect(openEtcd([none])).rejects.toThrow(/sudo apt-get install etcd-server/)
})

it('starts a server that can be killed, frozen and restarted, with its data or without', async () => {
  await using server = await startEtcd()
  const keyOf = async (): Promise<string | undefined> => {
    const reply = await fetch(`${server.url}/v3/kv/range`, { method: 'POST', body: '{"key":"YQ=="}' })
    return ((await reply.json()) as { count?: string }).count
  }
  await fetch(`${server.url}/v3/kv/put`, { method: 'POST', body: '{"key":"YQ==","value":"YQ=="}' })
  await server.restart()
  expect(await keyOf()).toBe('1')
  await server.freeze()
  await expect(fetch(`${server.url}/health`, { signal: AbortSignal.timeout(300) })).rejects.toThrow()
  server.thaw()
  await until(async () => (await fetch(`${server.url}/health`)).ok)
  await server.restart({ keepData: false })
  expect(await keyOf()).toBeUndefined()
})
