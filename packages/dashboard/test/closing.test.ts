import type { Holdfast } from '@holdfast/core'
import { sharedRedisUrl, until } from '@holdfast/testkit'
import { createDashboard } from '../src/index.js'
import { Clients } from './support/clients.js'

const clients = new Clients()
let holdfast: Holdfast

beforeEach(() => {
  holdfast = clients.open(sharedRedisUrl())
})

afterEach(() => clients.closeAll())

const get = (path: string): Request => new Request(`http://locks.example.org/${path}`)

it.each(['events?page=overview', 'snapshot?page=overview'])(
  '%s is not opened by a request that was still being authorized at the close',
  async (path) => {
    let decide = (_: boolean): void => undefined
    const dashboard = createDashboard({
      holdfast,
      authorize: () => new Promise<boolean>((resolve) => (decide = resolve)),
    })
    const asked = jest.spyOn(holdfast, 'clients')
    const answer = dashboard.fetch(get(path))
    dashboard.close()
    decide(true)
    expect((await answer).status).toBe(503)
    expect(asked).not.toHaveBeenCalled()
  },
)

it('a snapshot that waits for its first poll is answered at the close', async () => {
  const dashboard = createDashboard({ holdfast })
  const asked = jest.spyOn(holdfast, 'clients').mockReturnValue(new Promise(() => undefined))
  const answer = dashboard.fetch(get('snapshot?page=overview'))
  await until(() => asked.mock.calls.length > 0)
  dashboard.close()
  expect((await answer).status).toBe(503)
})

it('an update that cannot be made ends its stream, and the poll goes on for others', async () => {
  const dashboard = createDashboard({ holdfast, everyMs: 250 })
  const real = holdfast.clientReports.bind(holdfast)
  const polls = jest.spyOn(holdfast, 'clientReports').mockImplementation(async (options) => {
    const reports = await real(options)
    return reports.map((report) => ({
      ...report,
      get losses(): never {
        throw new Error('no losses')
      },
    }))
  })
  const overview = await dashboard.fetch(get('events?page=overview'))
  const client = await dashboard.fetch(get('events?page=clients'))
  expect(await overview.text()).toMatch(/^retry: \d+\n\n$/)
  const before = polls.mock.calls.length
  await until(() => polls.mock.calls.length > before)
  await client.body?.cancel()
  dashboard.close()
})
