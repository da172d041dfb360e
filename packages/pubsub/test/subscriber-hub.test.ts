import { freePort, startProxy, startRedis, until, watchResources, type RedisServer } from '@holdfast/testkit'

import { clients, RecordedHub } from './recorded-hub.js'

/** How many connections of the server are subscribed to anything. */
async function countSubscribers(server: RedisServer): Promise<number> {
  const list = String(await server.call('CLIENT', 'LIST', 'TYPE', 'PUBSUB'))
  return list.split('\n').filter((line) => line.startsWith('id=')).length
}

async function expectDelivery(server: RedisServer, hub: RecordedHub, channel: string, message: string) {
  await server.call('PUBLISH', channel, message)
  await until(() => hub.messages.includes(`${channel}: ${message}`), { what: `${message} on ${channel}` })
}

/** Keeps the process busy, so that no timer fires and no socket is read. */
function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function reasonOf(outcome: PromiseSettledResult<void>): string {
  return outcome.status === 'rejected' && outcome.reason instanceof Error
    ? outcome.reason.message
    : outcome.status
}

function noClient(): never {
  throw new Error('no client to test with')
}

const printed: unknown[] = []
let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})

afterAll(() => server.stop())

beforeEach(async () => {
  printed.length = 0
  for (const level of ['error', 'warn'] as const) {
    jest.spyOn(console, level).mockImplementation((...words) => printed.push(words))
  }
  await server.call('CONFIG', 'RESETSTAT')
})

afterEach(async () => {
  jest.restoreAllMocks()
  expect(printed).toEqual([])
  await until(async () => (await countSubscribers(server)) === 0, { what: 'all subscribers to leave' })
})

describe.each(clients)('a hub on %s', (_name, makeConnection) => {
  const connect = () => makeConnection(server.url)

  it('delivers a message', async () => {
    await using hub = new RecordedHub({ connect })
    await hub.record('left')
    expect(hub.isSubscribed('left')).toBe(true)
    await expectDelivery(server, hub, 'left', 'hello')
    expect(hub.gaps).toEqual([])
    expect(hub.downs).toEqual([])
  })

  it('shares one connection and one subscription among all listeners', async () => {
    await using hub = new RecordedHub({ connect })
    await Promise.all([hub.record('left'), hub.record('left'), hub.record('right')])
    await hub.record('right')
    expect(await countSubscribers(server)).toBe(1)
    expect(await server.call('INFO', 'commandstats')).toContain('cmdstat_subscribe:calls=2,')
    await server.call('PUBLISH', 'right', 'one')
    await expectDelivery(server, hub, 'left', 'two')
    expect(hub.messages).toEqual(['right: one', 'right: one', 'left: two', 'left: two'])
  })

  it('keeps its connection alive with pings while nothing is published', async () => {
    await using hub = new RecordedHub({ connect, pingEveryMs: 500 })
    await hub.record('left')
    const pings = async () =>
      /cmdstat_ping:calls=(\d+)/.exec(String(await server.call('INFO', 'commandstats')))?.[1]
    await until(async () => Number(await pings()) >= 3, { what: 'three pings' })
    await expectDelivery(server, hub, 'left', 'still there')
    expect(hub.downs).toEqual([])
  })

  it('subscribes everything again and reports a gap when its connection is killed', async () => {
    await using hub = new RecordedHub({ connect })
    await Promise.all([hub.record('left'), hub.record('right')])
    await server.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await until(() => hub.gaps.length > 0, { what: 'a gap notice' })
    expect(hub.gaps).toEqual([['left', 'right']])
    expect(hub.downs).toEqual(['Connection closed'])
    await expectDelivery(server, hub, 'left', 'hello again')
    await expectDelivery(server, hub, 'right', 'hello again')
  })

  it('replaces a connection that a frozen server has left mute', async () => {
    await using frozen = await startRedis()
    await using hub = new RecordedHub({ connect: () => makeConnection(frozen.url), pingEveryMs: 100 })
    await hub.record('left')
    await frozen.freeze()
    await until(() => hub.downs.length > 0, { what: 'the loss to be noticed' })
    expect(hub.downs).toEqual(['No reply to PING within 100 ms'])
    expect(hub.isSubscribed('left')).toBe(false)
    const back = hub.whenSubscribed('left')
    await frozen.thaw()
    await back
    await until(() => hub.gaps.length > 0, { what: 'a gap notice' })
    await expectDelivery(frozen, hub, 'left', 'thawed')
  })

  it('replaces a connection whose link has turned into a black hole', async () => {
    await using proxy = await startProxy(server)
    await using hub = new RecordedHub({ connect: () => makeConnection(proxy.url), pingEveryMs: 100 })
    await hub.record('left')
    proxy.blackHole('both', { drop: true })
    await until(() => hub.downs.length > 0, { what: 'the loss to be noticed' })
    proxy.heal()
    await until(() => hub.gaps.length > 0, { what: 'a gap notice' })
    await expectDelivery(server, hub, 'left', 'healed')
  })

  it('comes back after the server was restarted', async () => {
    await using other = await startRedis()
    await using hub = new RecordedHub({ connect: () => makeConnection(other.url) })
    await hub.record('left')
    await other.kill()
    await until(() => hub.downs.some((cause) => cause.includes('ECONNREFUSED')), { what: 'a failed attempt' })
    await other.restart()
    await until(() => hub.gaps.length > 0, { what: 'a gap notice' })
    await expectDelivery(other, hub, 'left', 'back')
  })

  it('waits through an outage for a first subscription, which is not a gap', async () => {
    const port = await freePort()
    await using hub = new RecordedHub({ connect: () => makeConnection(`redis://127.0.0.1:${port}`) })
    const subscribed = hub.record('left')
    await until(() => hub.downs.length >= 2, { what: 'two failed attempts' })
    await using late = await startRedis({ port })
    await subscribed
    await expectDelivery(late, hub, 'left', 'at last')
    expect(hub.gaps).toEqual([])
  })

  it('does not blame a loss on what went wrong while it connected', async () => {
    await using hub = new RecordedHub({ connect: () => makeConnection(server.url, { db: 99 }) })
    await hub.record('left')
    await server.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await until(() => hub.gaps.length > 0, { what: 'a gap notice' })
    expect(hub.downs).toEqual(['Connection closed'])
  })

  it('leaves nothing of the connections that it replaced', async () => {
    const resources = watchResources()
    const hub = new RecordedHub({ connect })
    await hub.record('left')
    const killed = server.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    while (hub.gaps.length === 0) await new Promise(setImmediate)
    await killed
    await hub.close()
    await resources.expectNone(500)
  })

  it('is not taken in by stalls of its own event loop', async () => {
    let stallsLeft = 0
    await using hub = new RecordedHub({
      pingEveryMs: 200,
      connect: () => {
        const connection = connect()
        const ping = connection.ping.bind(connection)
        connection.ping = () => {
          // After this turn, so that the next thing to run when the stall is over are timers, not sockets.
          if (stallsLeft > 0) setImmediate(blockEventLoop, 300)
          stallsLeft -= 1
          return ping()
        }
        return connection
      },
    })
    await hub.record('left')
    stallsLeft = 5
    await until(() => stallsLeft < 0, { what: 'five pings that were answered during a stall' })
    expect(hub.downs).toEqual([])
    await expectDelivery(server, hub, 'left', 'hello')
  })
})

it('an attempt to connect or subscribe that gets no reply is abandoned after replyTimeoutMs, and repeated', async () => {
  await using frozen = await startRedis()
  const makeHubs = () =>
    clients.map(
      ([, makeConnection]) =>
        new RecordedHub({ connect: () => makeConnection(frozen.url), replyTimeoutMs: 700 }),
    )
  const subscribing = makeHubs()
  const connecting = makeHubs()
  await Promise.all(subscribing.map((hub) => hub.record('left')))
  await frozen.freeze()
  const answers = [...subscribing, ...connecting].map((hub) => hub.record('right'))
  const causes = () => [...subscribing, ...connecting].map((hub) => hub.downs[0])
  await until(() => causes().every((cause) => cause !== undefined), { what: 'six losses' })
  expect(causes()).toEqual([
    ...clients.map(() => 'No reply to SUBSCRIBE within 700 ms'),
    ...clients.map(() => 'No reply to connect within 700 ms'),
  ])
  await frozen.thaw()
  await Promise.all(answers)
  await until(() => subscribing.every((hub) => hub.gaps.length === 1), { what: 'three gap notices' })
  await Promise.all([...subscribing, ...connecting].map((hub) => hub.close()))
})

describe.each(clients)('permissions, on %s', (_name, makeConnection) => {
  const guest = { username: 'guest', password: 'secret' }
  const setGuest = (...rules: string[]) =>
    server.call('ACL', 'SETUSER', 'guest', 'on', '>secret', '+@all', 'resetchannels', ...rules)
  const asGuest = () => makeConnection(server.url, guest)

  afterEach(() => server.call('ACL', 'DELUSER', 'guest'))

  it('that are missing for a channel refuse it at once and disturb no other', async () => {
    await setGuest('&left')
    await using hub = new RecordedHub({ connect: asGuest })
    const [left, right] = await Promise.allSettled([hub.record('left'), hub.record('right')])
    expect(left.status).toBe('fulfilled')
    expect(reasonOf(right)).toMatch(/^NOPERM/)
    await expect(hub.record('right')).rejects.toThrow(/^NOPERM/)
    await expect(hub.whenSubscribed('right')).rejects.toThrow('No subscription to right')
    await expectDelivery(server, hub, 'left', 'hello')
    expect([hub.downs, hub.errors]).toEqual([[], []])
  })

  it('that are withdrawn later are reported, and their return is a gap', async () => {
    await setGuest('&left', '&right')
    await using hub = new RecordedHub({ connect: asGuest, pingEveryMs: 50 })
    await Promise.all([hub.record('left'), hub.record('right')])
    await setGuest('&left')
    await server.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await until(() => hub.errors.length > 0, { what: 'the refusal to be reported' })
    expect(hub.errors[0]).toMatch(/^NOPERM/)
    await until(() => hub.gaps.length > 0, { what: 'the gap of the other channel' })
    expect(hub.gaps).toEqual([['left']])
    await server.call('ACL', 'SETUSER', 'guest', '&right')
    await hub.whenSubscribed('right')
    expect(hub.gaps).toEqual([['left'], ['left', 'right']])
    await expectDelivery(server, hub, 'right', 'welcome back')
  })

  it('of an unknown user refuse all subscriptions after a single attempt', async () => {
    let attempts = 0
    await using hub = new RecordedHub({
      connect: () => {
        attempts += 1
        return makeConnection(server.url, { username: 'nobody', password: 'wrong' })
      },
    })
    const refused = await Promise.allSettled([hub.record('left'), hub.record('right')])
    for (const outcome of refused) expect(reasonOf(outcome)).toMatch(/^WRONGPASS/)
    expect(attempts).toBe(1)
    expect(hub.downs).toEqual([expect.stringMatching(/^WRONGPASS/)])
    await expect(hub.record('left')).rejects.toThrow(/^WRONGPASS/)
    expect(attempts).toBe(2)
  })

  it('of a client that did not log in refuse the subscription', async () => {
    await using locked = await startRedis({ args: ['--requirepass', 'secret'] })
    await using hub = new RecordedHub({ connect: () => makeConnection(locked.url) })
    await expect(hub.record('left')).rejects.toThrow(/^NOAUTH/)
  })

  it('that do not include PING do not make a connection look mute', async () => {
    await setGuest('&left', '-ping')
    let refusedPings = 0
    await using hub = new RecordedHub({
      pingEveryMs: 200,
      connect: () => {
        const connection = asGuest()
        const ping = connection.ping.bind(connection)
        connection.ping = () =>
          ping().catch((error: unknown) => {
            refusedPings += 1
            throw error
          })
        return connection
      },
    })
    await hub.record('left')
    await until(() => refusedPings >= 3, { what: 'three refused pings' })
    expect(hub.downs).toEqual([])
  })
})

describe.each(clients)('unsubscribe, on %s', (_name, makeConnection) => {
  const connect = () => makeConnection(server.url)

  it('ends one channel and leaves the others', async () => {
    await using hub = new RecordedHub({ connect })
    await Promise.all([hub.record('left'), hub.record('right')])
    await hub.unsubscribe('left')
    expect(hub.isSubscribed('left')).toBe(false)
    expect(await server.call('PUBLISH', 'left', 'unheard')).toBe(0)
    await expectDelivery(server, hub, 'right', 'heard')
    expect(hub.messages).toEqual(['right: heard'])
  })

  it('may be followed at once by a new subscription', async () => {
    await using hub = new RecordedHub({ connect })
    await hub.record('left')
    await Promise.all([hub.unsubscribe('left'), hub.record('left')])
    await expectDelivery(server, hub, 'left', 'hello')
    expect(hub.messages).toEqual(['left: hello'])
  })

  it('of the last channel leaves a hub that still pings and subscribes', async () => {
    await using hub = new RecordedHub({ connect, pingEveryMs: 300 })
    await hub.record('left')
    await hub.unsubscribe('left')
    await hub.record('right')
    await expectDelivery(server, hub, 'right', 'hello')
    expect(hub.downs).toEqual([])
  })
})

it('unsubscribing from the last channel during an outage ends the attempts to connect', async () => {
  const port = await freePort()
  const resources = watchResources()
  const [[, makeConnection] = noClient()] = clients
  await using hub = new RecordedHub({ connect: () => makeConnection(`redis://127.0.0.1:${port}`) })
  const refused = expect(hub.record('left')).rejects.toThrow('Unsubscribed from left')
  while (hub.downs.length === 0) await new Promise(setImmediate)
  await hub.unsubscribe('left')
  await refused
  await resources.expectNone(500)
  expect(hub.downs).toHaveLength(1)
})

describe.each(clients)('close, on %s', (_name, makeConnection) => {
  const connect = () => makeConnection(server.url)

  it('leaves no timer, no socket and no subscriber, and may be repeated', async () => {
    const resources = watchResources()
    const connection = connect()
    const hub = new RecordedHub({ connect: () => connection, pingEveryMs: 20 })
    await hub.record('left')
    const statuses = [hub.close(), hub.close()].map((closed) => closed.then(() => connection.status))
    expect(await Promise.all(statuses)).toEqual(['end', 'end'])
    await hub.close()
    await resources.expectNone(500)
    expect(hub.isSubscribed('left')).toBe(false)
    await expect(hub.record('left')).rejects.toThrow('The subscriber hub is closed')
    await expect(hub.whenSubscribed('left')).rejects.toThrow('The subscriber hub is closed')
    await hub.unsubscribe('left')
    expect([hub.downs, hub.errors]).toEqual([[], []])
  })

  it('ends a connection in the making and rejects those that wait for it', async () => {
    const resources = watchResources()
    const hub = new RecordedHub({ connect })
    const subscribed = hub.record('left')
    const confirmed = hub.whenSubscribed('left')
    const [, ...outcomes] = await Promise.allSettled([hub.close(), subscribed, confirmed])
    for (const outcome of outcomes) expect(reasonOf(outcome)).toBe('The subscriber hub is closed')
    await resources.expectNone(500)
    expect([hub.downs, hub.errors]).toEqual([[], []])
  })

  it('ends the wait for the next attempt', async () => {
    const port = await freePort()
    const resources = watchResources()
    const hub = new RecordedHub({ connect: () => makeConnection(`redis://127.0.0.1:${port}`) })
    const subscribed = hub.record('left')
    const refused = expect(subscribed).rejects.toThrow('The subscriber hub is closed')
    while (hub.downs.length < 3) await new Promise(setImmediate)
    await hub.close()
    await refused
    await resources.expectNone(500)
  })

  it('does not wait for a frozen server', async () => {
    await using frozen = await startRedis()
    const hub = new RecordedHub({ connect: () => makeConnection(frozen.url), pingEveryMs: 50 })
    await hub.record('left')
    await frozen.freeze()
    await until(() => hub.downs.length > 0, { what: 'the loss to be noticed' })
    const resources = watchResources()
    await hub.close()
    await resources.expectNone(500)
  })
})

describe('what throws', () => {
  const [[, makeConnection] = noClient()] = clients
  const connect = () => makeConnection(server.url)

  it('in a listener reaches onError and stops no other listener', async () => {
    await using hub = new RecordedHub({ connect })
    await hub.subscribe('left', () => {
      throw new Error('listener failed')
    })
    await hub.record('left')
    await expectDelivery(server, hub, 'left', 'one')
    await expectDelivery(server, hub, 'left', 'two')
    expect(hub.errors).toEqual(['listener failed', 'listener failed'])
  })

  it('in onDown, onGap or onError does not stop the hub', async () => {
    const boom = () => {
      throw new Error('callback failed')
    }
    await using hub = new RecordedHub({ connect, onDown: boom, onGap: boom, onError: boom })
    await hub.record('left')
    await server.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await until(() => !hub.isSubscribed('left'), { what: 'the loss to be noticed' })
    await hub.whenSubscribed('left')
    await expectDelivery(server, hub, 'left', 'hello')
  })

  it('while a connection is made counts as a failed attempt', async () => {
    let attempts = 0
    await using hub = new RecordedHub({
      connect: () => {
        attempts += 1
        if (attempts < 3) throw new Error('no address yet')
        return connect()
      },
    })
    await hub.record('left')
    expect(hub.downs).toEqual(['no address yet', 'no address yet'])
  })

  it('is nothing for a bad ping interval, which is refused at once', () => {
    expect(() => new RecordedHub({ connect, pingEveryMs: 0 })).toThrow('pingEveryMs must be above 0, got 0')
  })
})
