import { createServer } from 'node:http'
import type { Holdfast } from '@holdfast/core'
import { sharedRedisUrl } from '@holdfast/testkit'
import { createDashboard, type Dashboard } from '../../src/dashboard/index.js'
import { Clients } from './support/clients.js'
import { listen } from './support/listening.js'

const clients = new Clients()
let holdfast: Holdfast
let dashboard: Dashboard

beforeEach(() => {
  holdfast = clients.open(sharedRedisUrl())
  dashboard = createDashboard({ holdfast, readOnly: false, authorize: () => true })
})

afterEach(async () => {
  await clients.closeAll()
})

const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
const tooLong = JSON.stringify({ name: 'x'.repeat(1_000_000) })

it('a body that is too long is refused on a connection that goes on', async () => {
  const server = await listen(createServer(dashboard.node))
  const post = (body: string): Promise<Response> =>
    fetch(`${server.origin}/evict`, { method: 'POST', headers, body })
  for (let i = 0; i < 3; i += 1) {
    const response = await post(tooLong)
    expect(response.status).toBe(413)
    expect(await response.json()).toEqual({ error: 'The body is longer than 65536 bytes.' })
  }
  expect((await post('{}')).status).toBe(400)
  await server.close()
})

it('an endless body is not read to its end', async () => {
  let sent = 0
  const cancelled = jest.fn()
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += 16_384
      // The end of a reader that takes everything, for this test to fail in time.
      if (sent > 10_000_000) controller.close()
      else controller.enqueue(new Uint8Array(16_384))
    },
    cancel: cancelled,
  })
  const endless = { method: 'POST', headers, body, duplex: 'half' } as const
  const response = await dashboard.fetch(new Request('http://locks.example.org/evict', endless))
  expect(response.status).toBe(413)
  expect(cancelled).toHaveBeenCalledTimes(1)
  expect(sent).toBeLessThan(1_000_000)
})

it('a request without a body is refused as one that is not JSON', async () => {
  const response = await dashboard.fetch(
    new Request('http://locks.example.org/evict', { method: 'POST', headers }),
  )
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ error: 'The body is not JSON.' })
})
