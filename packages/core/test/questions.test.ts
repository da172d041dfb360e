import { monitorEventLoopDelay } from 'node:perf_hooks'
import { uniqueName, until } from '@holdfast/testkit'
import { Redis } from 'ioredis'
import { closeAfterTest, closeAll, openClient } from './support/clients.js'
import { makeRedisUser } from './support/redis-user.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()

afterEach(closeAll)

/** Someone who may publish, and nothing else. */
async function openPublisher(): Promise<Redis> {
  const url = await makeRedisUser(server, ['resetkeys', '&*', '-@all', '+publish'])
  const redis = new Redis(url, { lazyConnect: true, enableReadyCheck: false })
  redis.on('error', () => undefined)
  closeAfterTest(() => {
    redis.disconnect()
    return Promise.resolve()
  })
  return redis
}

/** What arrives at an inbox that a stranger chose as the recipient. */
async function openRecipient(clientId: string): Promise<{ bytes: number; reports: number }> {
  const received = { bytes: 0, reports: 0 }
  const redis = new Redis(server.url)
  closeAfterTest(() => {
    redis.disconnect()
    return Promise.resolve()
  })
  redis.on('message', (_channel, text: string) => {
    received.bytes += Buffer.byteLength(text)
    if (text.includes('"page":0,')) received.reports += 1
  })
  await redis.subscribe(`holdfast:inbox:${clientId}`)
  return received
}

const inboxOf = (clientId: string): string => `holdfast:inbox:${clientId}`

it('a flood of questions from someone who may only publish takes no renewal’s time, and is answered in small part', async () => {
  const watchdogTimeoutMs = 12_000
  const holdfast = openClient(server.url, { watchdogTimeoutMs })
  const lost: string[] = []
  holdfast.on('lost', ({ name }) => lost.push(name))
  const leases = await Promise.all(
    Array.from({ length: 3_000 }, (_, n) => holdfast.getLock(uniqueName(`flood-${n}`)).lock()),
  )
  const [publisher, recipient] = await Promise.all([openPublisher(), openRecipient('stranger')])
  const questions = Array.from({ length: 500 }, (_, n) =>
    JSON.stringify({ id: `${n}`, from: 'stranger', limit: 10_000, spreadMs: 0 }),
  )
  let renewals = 0
  holdfast.on('renewed', () => (renewals += 1))
  const delay = monitorEventLoopDelay()
  delay.enable()
  const startedAt = performance.now()
  await Promise.all(
    questions.map((question) => publisher.publish(inboxOf(holdfast.clientId), `told ask ${question}`)),
  )
  // Two rounds of renewals begin after the questions.
  const twice = 2 * leases.length + 1
  await until(() => renewals + lost.length >= twice && recipient.bytes > 0, {
    what: 'two rounds of renewals, and an answer',
    timeoutMs: 60_000,
  })
  const seconds = (performance.now() - startedAt) / 1_000
  delay.disable()
  expect(lost).toEqual([])
  expect(leases.every((lease) => lease.isHeld)).toBe(true)
  // A renewal is due every third of the watchdog time, and has the rest of it to arrive.
  expect(delay.max / 1e6).toBeLessThan(watchdogTimeoutMs / 3)
  expect(recipient.bytes).toBeLessThan(2_000_000 + 512_000 * seconds)
  expect(recipient.reports).toBeLessThan(10)
})
