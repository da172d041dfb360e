import { connect } from 'node:net'
import { startRedis, uniqueName, type RedisServer } from '@holdfast/testkit'
import { serveDashboard } from '../src/index.js'
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

it('only those who know the token get in, and a cookie that scripts cannot read takes its place', async () => {
  const served = await serveDashboard({ holdfast: clients.open(redis.url) })
  const { origin, searchParams } = new URL(served.url)
  expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}$/)
  for (const path of [
    '/',
    '/events?page=overview',
    '/?token=wrong',
    `/?token=${searchParams.get('token') ?? ''}x`,
  ]) {
    const response = await fetch(origin + path)
    expect(response.status).toBe(401)
    expect(await response.text()).toContain('printed when the dashboard started')
  }
  const admitted = await fetch(served.url)
  const cookie = admitted.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/)
  expect(await admitted.text()).toContain('url=./')
  const page = await fetch(origin, { headers: { cookie: `other=1; ${cookie.split(';')[0] ?? ''}` } })
  expect(await page.text()).toContain('<div id="app">')
  await served.close()
  await served.close()
  await expect(fetch(origin)).rejects.toThrow()
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
    expect(reply).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect((await fetch(origin)).status).toBe(401)
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
  const [cookie = ''] = ((await fetch(served.url)).headers.get('set-cookie') ?? '').split(';')
  const name = uniqueName('served')
  const { owner, signal } = await holdfast.getLock(name).lock()
  const response = await fetch(new URL('evict', served.url), {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ name, owner, kind: 'lock', typedName: name }),
  })
  expect(await response.json()).toEqual({ outcome: 'evicted' })
  expect(lines).toEqual([expect.stringMatching(/^evicted .+@.+$/)])
  expect(signal.reason).toMatchObject({ by: expect.stringMatching(/^.+@.+$/) as string })
  await served.close()
})

it('a token that could be guessed is refused', async () => {
  await expect(serveDashboard({ holdfast: clients.open(redis.url), token: 'secret' })).rejects.toThrow(
    /16 or more/,
  )
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
  dashboard.close()
})
