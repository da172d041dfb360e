import {
  holdfastChannels,
  recordChannels,
  sharedRedisUrl,
  startRedis,
  uniqueName,
  until,
  type RecordedChannels,
} from '@holdfast/testkit'
import { closeAfterTest, closeAll, openClient, openProxy, openReadyClient } from './support/clients.js'

let recorded: RecordedChannels

beforeEach(() => {
  recorded = recordChannels(holdfastChannels)
})

afterEach(async () => {
  await closeAll()
  recorded.stop()
})

const ofClient = (channel: string, clientId: string) =>
  recorded.on(channel).filter((message) => message['clientId'] === clientId)

it('the first use publishes the connection, then each step of a cycle', async () => {
  const holdfast = openClient(sharedRedisUrl())
  const { clientId } = holdfast
  const name = uniqueName('channels')
  await holdfast.getLock(name).withLock(() => undefined)
  const subject = { clientId, engine: 'redis', name, kind: 'lock' }
  expect(ofClient('acquire:asyncEnd', clientId)).toMatchObject([{ ...subject, outcome: 'acquired' }])
  expect(ofClient('hold:asyncEnd', clientId)).toMatchObject([{ ...subject, end: 'released' }])
  expect(ofClient('release:asyncEnd', clientId)).toMatchObject([{ ...subject, outcome: 'released' }])
  await until(() => ofClient('connection', clientId).length >= 2)
  const states = ofClient('connection', clientId).map(({ state }) => state)
  expect(states.sort()).toEqual(['connected', 'subscribed'])
})

it('a broken connection is published, and its return', async () => {
  const server = await startRedis()
  closeAfterTest(() => server.stop())
  const proxy = await openProxy(server)
  const holdfast = await openReadyClient(proxy.url)
  const states = (): unknown[] => ofClient('connection', holdfast.clientId).map(({ state }) => state)
  await until(() => states().includes('subscribed'))
  const before = states().length
  proxy.cut()
  await until(() => states().slice(before).length >= 4)
  const since = states().slice(before)
  expect(since.indexOf('broken')).toBeLessThan(since.indexOf('connected'))
  expect(since.indexOf('unsubscribed')).toBeLessThan(since.indexOf('subscribed'))
})
