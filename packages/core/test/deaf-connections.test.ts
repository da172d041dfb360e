import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { sharedRedisUrl, uniqueName, until } from '@holdfast/testkit'
import { closeAfterTest, closeAll, openClient, openHoldfast, useOnce } from './support/clients.js'

afterEach(closeAll)

/** A proxy that drops replies while it is deaf; a connection whose reply was dropped then delivers none again, or all others. */
async function startForgetfulProxy(then: 'none' | 'all others' = 'none') {
  const { hostname, port } = new URL(sharedRedisUrl())
  const sockets = new Set<Socket>()
  const proxy = { url: '', isDeaf: false }
  const server = createServer((client) => {
    const redis = connect(Number(port), hostname)
    let isLost = false
    client.pipe(redis)
    redis.on('data', (data) => {
      isLost = proxy.isDeaf || (isLost && then === 'none')
      if (!isLost) client.write(data)
    })
    for (const [one, other] of [
      [client, redis],
      [redis, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => undefined).on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closeAfterTest(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  proxy.url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}

// Both connections are made anew while the proxy is deaf, and their handshakes get no reply.
it('a hold whose new connection gets no reply to its handshake is kept: yet another one is made', async () => {
  const proxy = await startForgetfulProxy()
  const holdfast = openClient(proxy.url, { watchdogTimeoutMs: 9_000, commandTimeoutMs: 1_000 })
  const breaks: string[] = []
  holdfast.on('error', ({ message }) => breaks.push(message))
  const lease = await holdfast.getLock(uniqueName('deaf')).lock()
  let renewals = 0
  holdfast.on('renewed', () => (renewals += 1))
  proxy.isDeaf = true
  await until(() => breaks.length >= 2)
  proxy.isDeaf = false
  await until(() => renewals >= 2)
  expect(lease.isHeld).toBe(true)
  await lease.unlock()
})

it('a waiter whose new connections get no reply to their handshakes gets in soon after replies flow again', async () => {
  const proxy = await startForgetfulProxy()
  const name = uniqueName('deaf')
  const { holdfast: rival } = openHoldfast(sharedRedisUrl())
  const lease = await rival.getLock(name).lock()
  const holdfast = openClient(proxy.url, { watchdogTimeoutMs: 3_000, commandTimeoutMs: 1_000 })
  let outages = 0
  holdfast.on('error', () => (outages += 1))
  await useOnce(holdfast)
  const isWaiting = new Promise((resolve) => holdfast.once('waiting', resolve))
  const waiting = holdfast.getLock(name).lock({ waitMs: 20_000 })
  await isWaiting
  proxy.isDeaf = true
  await lease.unlock()
  await until(() => outages >= 2)
  proxy.isDeaf = false
  const next = await waiting
  expect(next.isHeld).toBe(true)
  await next.unlock()
})

it('a connection whose replies are out of step, since one was dropped, is made anew', async () => {
  const proxy = await startForgetfulProxy('all others')
  const holdfast = openClient(proxy.url, { commandTimeoutMs: 1_500 })
  holdfast.on('error', () => undefined)
  const lock = holdfast.getLock(uniqueName('deaf'))
  await lock.withLock(() => undefined)
  proxy.isDeaf = true
  await lock.isLocked().catch(() => undefined)
  proxy.isDeaf = false
  await until(() => lock.withLock({ waitMs: 1_000 }, () => true).catch(() => false))
})
