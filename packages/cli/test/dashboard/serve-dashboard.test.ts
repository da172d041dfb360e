import { connect } from 'node:net'
import { startRedis, uniqueName, until, type RedisServer } from '@holdfast/testkit'
import { serveDashboard, type ServedDashboard } from '../../src/dashboard/index.js'
import { dashboardFor } from './mounts/evicting.js'
import { openDashboard } from './mounts/standalone.js'
import { Clients } from './support/clients.js'

let redis: RedisServer
const clients = new Clients()

beforeAll(async () => {
  redis = await startRedis()
})

afterAll(async () => {
  await clients.closeAll()
  await redis.stop()
})

const bearer = ({ url }: ServedDashboard): { authorization: string } => ({
  authorization: `Bearer ${new URL(url).hash.slice('#token='.length)}`,
})

it('only those who know the token see more than the empty page', async () => {
  const served = await serveDashboard({ holdfast: clients.open(redis.url) })
  const { origin } = new URL(served.url)
  const { authorization } = bearer(served)
  expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32}$/)
  const list = `${origin}/list`
  for (const headers of [
    {},
    { authorization: 'Bearer wrong' },
    { authorization: `${authorization}x` },
    { cookie: authorization },
  ]) {
    for (const [path, method] of [
      ['list', 'GET'],
      ['named?name=a', 'GET'],
      ['list', 'HEAD'],
      ['x/evict', 'POST'],
      ['', 'POST'],
      ['constructor', 'GET'],
    ] as const) {
      const response = await fetch(`${origin}/${path}`, { method, headers })
      expect([path, response.status]).toEqual([path, 401])
      if (method !== 'HEAD') expect(await response.text()).toContain('printed when the dashboard started')
    }
  }
  expect(await (await fetch(origin)).text()).toContain('<div id="app">')
  expect((await fetch(list, { headers: { authorization } })).status).toBe(200)
  await served.close()
  await served.close()
  await expect(fetch(origin)).rejects.toThrow()
})

/** What `fetch` will not do: says another host. */
async function statusFor(served: ServedDashboard, host: string): Promise<string> {
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1')
  const { authorization } = bearer(served)
  socket.write(
    `GET /list HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
  )
  let reply = ''
  for await (const chunk of socket as AsyncIterable<Buffer>) reply += chunk.toString()
  return reply.includes('allowedHosts') ? reply.slice(9, 12) + ' allowedHosts' : reply.slice(9, 12)
}

it('a name that leads here by DNS rebinding is refused, even with the token', async () => {
  const served = await serveDashboard({
    holdfast: clients.open(redis.url),
    allowedHosts: ['ops.example.com'],
  })
  for (const forged of [
    'evil.example:41873',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    'evil.example#localhost',
    'evil.ops.example.com',
    '[',
    '',
  ]) {
    expect([forged, await statusFor(served, forged)]).toEqual([forged, '421 allowedHosts'])
  }
  for (const own of [
    'localhost:1',
    'LOCALHOST.',
    '127.0.0.1',
    '[::1]:80',
    '192.0.2.1',
    'Ops.Example.com:8080',
  ]) {
    expect([own, await statusFor(served, own)]).toEqual([own, '200'])
  }
  await served.close()
})

it.each(['/\\', '//', 'http://[', '/ops/locks?%', '/?token=%E0%A4'])(
  'the request target %s gets a reply, and the server goes on',
  async (target) => {
    const served = await serveDashboard({ holdfast: clients.open(redis.url) })
    const { port, origin } = new URL(served.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    let reply = ''
    for await (const chunk of socket as AsyncIterable<Buffer>) reply += chunk.toString()
    expect(reply).toMatch(/^HTTP\/1\.1 [24]\d\d /)
    expect((await fetch(origin)).status).toBe(200)
    await served.close()
  },
)

it('a holder is evicted in the name of the user that the server runs as', async () => {
  const holdfast = clients.open(redis.url)
  const lines: string[] = []
  const served = await serveDashboard({
    holdfast,
    readOnly: false,
    audit: ({ by, outcome }) => void lines.push(`${outcome} ${by ?? ''}`),
  })
  const name = uniqueName('served')
  const { owner, signal } = await holdfast.getLock(name).lock()
  const response = await fetch(new URL('evict', served.url), {
    method: 'POST',
    headers: { ...bearer(served), 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ name, owner, kind: 'lock', typedName: name }),
  })
  expect(await response.json()).toEqual({ outcome: 'evicted' })
  expect(lines).toEqual([expect.stringMatching(/^evicted .+@.+$/)])
  expect(signal.reason).toMatchObject({ by: expect.stringMatching(/^.+@.+$/) as string })
  await served.close()
})

it('connections without a token cannot use up the files that the process may open', async () => {
  const served = await serveDashboard({ holdfast: clients.open(redis.url) })
  const { port } = new URL(served.url)
  let open = 0
  let dropped = 0
  const sockets = Array.from({ length: 300 }, () =>
    connect(Number(port), '127.0.0.1')
      .on('connect', () => (open += 1))
      .on('error', () => undefined)
      .on('close', () => (dropped += 1)),
  )
  await until(() => open === 300 && dropped === 44, { what: '44 of 300 connections to be dropped' })
  for (const socket of sockets) socket.destroy()
  await served.close()
})

it('a token that could be guessed is refused', async () => {
  await expect(serveDashboard({ holdfast: clients.open(redis.url), token: 'secret' })).rejects.toThrow(
    /16 or more/,
  )
})

it.each([
  [{ port: 'x' }, "port must be an integer from 0 to 65535, got 'x'"],
  [{ port: -1 }, 'port must be an integer from 0 to 65535, got -1'],
  [{ host: 5 }, 'host must be a string, got 5'],
  [{ readOnly: 'no' }, "readOnly must be true or false, got 'no'"],
  [{ authorize: () => true }, "unknown option 'authorize'; createDashboard takes authorize"],
])('options that make no sense are refused before anything listens: %j', async (options, message) => {
  const given = { holdfast: clients.open(redis.url), ...options }
  await expect(Reflect.apply(serveDashboard, undefined, [given])).rejects.toThrow(message)
})

it('the program of the documentation prints the address', async () => {
  const print = jest.spyOn(console, 'log').mockImplementation(() => undefined)
  const served = await openDashboard(clients.open(redis.url))
  expect(print).toHaveBeenCalledWith(`Locks: ${served.url}`)
  print.mockRestore()
  expect((await fetch(served.url)).status).toBe(200)
  await served.close()
})

it('in the documentation users see everything, administrators evict, and others see nothing', async () => {
  const log = jest.spyOn(console, 'warn').mockImplementation(() => undefined)
  const holdfast = clients.open(redis.url)
  const dashboard = dashboardFor(holdfast, (cookie) =>
    Promise.resolve(cookie === null ? null : { email: `${cookie}@example.org`, isAdmin: cookie === 'ann' }),
  )
  const name = uniqueName('documented')
  const { owner } = await holdfast.getLock(name).lock()
  const statusFor = async (cookie: string | null, action: 'view' | 'evict'): Promise<number> => {
    const headers = {
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      ...(cookie !== null && { cookie }),
    }
    const body = JSON.stringify({ name, owner, kind: 'lock', typedName: name })
    const request = action === 'view' ? { headers } : { method: 'POST', headers, body }
    const path = action === 'view' ? '' : 'evict'
    return (await dashboard.fetch(new Request(`http://localhost/${path}`, request))).status
  }
  expect([await statusFor(null, 'view'), await statusFor(null, 'evict')]).toEqual([403, 403])
  expect([await statusFor('bob', 'view'), await statusFor('bob', 'evict')]).toEqual([200, 403])
  expect([await statusFor('ann', 'view'), await statusFor('ann', 'evict')]).toEqual([200, 200])
  expect(log).toHaveBeenLastCalledWith(
    expect.stringContaining(`ann@example.org evicted "${name}" of ${owner}`),
  )
  log.mockRestore()
})
