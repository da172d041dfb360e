import { freePort, startProxy, startRedis, until, watchResources } from '@holdfast/testkit'

import {
  clients,
  countSubscribers,
  expectDelivery,
  reasonOf,
  RecordedHub,
  useServer,
} from './recorded-hub.js'

/** Keeps the process busy, so that no timer fires and no socket is read. */
function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function noClient(): never {
  throw new Error('no client to test with')
}

const running = useServer()

describe.each(clients)('a hub on %s', (_name, makeConnection) => {
  const connect = () => makeConnection(running.server.url)

  it('delivers a message', async () => {
    await using hub = new RecordedHub({ connect })
    await hub.record('left')
    expect(hub.isSubscribed('left')).toBe(true)
    await expectDelivery(running.server, hub, 'left', 'hello')
    expect(hub.gaps).toEqual([])
    expect(hub.downs).toEqual([])
  })

  it('shares one connection and one subscription among all listeners', async () => {
    await using hub = new RecordedHub({ connect })
    await Promise.all([hub.record('left'), hub.record('left'), hub.record('right')])
    await hub.record('right')
    expect(await countSubscribers(running.server)).toBe(1)
    expect(await running.server.call('INFO', 'commandstats')).toContain('cmdstat_subscribe:calls=2,')
    await running.server.call('PUBLISH', 'right', 'one')
    await expectDelivery(running.server, hub, 'left', 'two')
    expect(hub.messages).toEqual(['right: one', 'right: one', 'left: two', 'left: two'])
  })

  it('keeps its connection alive with pings while nothing is published', async () => {
    await using hub = new RecordedHub({ connect, pingEveryMs: 500 })
    await hub.record('left')
    const pings = async () =>
      /cmdstat_ping:calls=(\d+)/.exec(String(await running.server.call('INFO', 'commandstats')))?.[1]
    await until(async () => Number(await pings()) >= 3, { what: 'three pings' })
    await expectDelivery(running.server, hub, 'left', 'still there')
    expect(hub.downs).toEqual([])
  })

  it('subscribes everything again and reports a gap when its connection is killed', async () => {
    await using hub = new RecordedHub({ connect })
    await Promise.all([hub.record('left'), hub.record('right')])
    await running.server.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await until(() => hub.gaps.length > 0, { what: 'a gap notice' })
    expect(hub.gaps).toEqual([['left', 'right']])
    expect(hub.downs).toEqual(['Connection closed'])
    await expectDelivery(running.server, hub, 'left', 'hello again')
    await expectDelivery(running.server, hub, 'right', 'hello again')
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
    await using proxy = await startProxy(running.server)
    await using hub = new RecordedHub({ connect: () => makeConnection(proxy.url), pingEveryMs: 100 })
    await hub.record('left')
    proxy.blackHole('both', { drop: true })
    await until(() => hub.downs.length > 0, { what: 'the loss to be noticed' })
    proxy.heal()
    await until(() => hub.gaps.length > 0, { what: 'a gap notice' })
    await expectDelivery(running.server, hub, 'left', 'healed')
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
    await using hub = new RecordedHub({ connect: () => makeConnection(running.server.url, { db: 99 }) })
    await hub.record('left')
    await running.server.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await until(() => hub.gaps.length > 0, { what: 'a gap notice' })
    expect(hub.downs).toEqual(['Connection closed'])
  })

  it('leaves nothing of the connections that it replaced', async () => {
    const resources = watchResources()
    const hub = new RecordedHub({ connect })
    await hub.record('left')
    const killed = running.server.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
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
    await expectDelivery(running.server, hub, 'left', 'hello')
  })
})

describe('a probe', () => {
  const connect = () => clients[0]?.[1](running.server.url) ?? noClient()

  it('that gets no reply says nothing of the connection', async () => {
    const probe = { channel: 'left', isReached: () => Promise.reject(new Error('no reply')) }
    await using hub = new RecordedHub({ connect, probe })
    await hub.record('left')
    await expect(hub.verify()).rejects.toThrow('no reply')
    await expectDelivery(running.server, hub, 'left', 'hello')
    expect(hub.downs).toEqual([])
  })

  it('of a subscription that reaches nobody has its connection replaced, each time', async () => {
    let isReached = false
    const probe = { channel: 'left', isReached: () => Promise.resolve(isReached) }
    await using hub = new RecordedHub({ connect, probe })
    const recorded = hub.record('left')
    await until(() => hub.downs.length === 2)
    isReached = true
    await recorded
    await expectDelivery(running.server, hub, 'left', 'hello')
    isReached = false
    await hub.verify()
    expect(hub.downs).toHaveLength(3)
  })

  it('that is answered after its connection was replaced does not judge the next one', async () => {
    const answers: ((isReached: boolean) => void)[] = []
    let isFirst = true
    const probe = {
      channel: 'left',
      isReached: () => {
        if (!isFirst) return new Promise<boolean>((resolve) => answers.push(resolve))
        isFirst = false
        return Promise.resolve(true)
      },
    }
    await using hub = new RecordedHub({ connect, probe })
    await hub.record('left')
    const verified = hub.verify()
    await running.server.call('CLIENT', 'KILL', 'TYPE', 'PUBSUB')
    await until(() => answers.length === 2)
    answers[1]?.(true)
    await hub.whenSubscribed('left')
    answers[0]?.(false)
    await verified
    await expectDelivery(running.server, hub, 'left', 'hello')
    expect(hub.downs).toHaveLength(1)
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

describe.each(clients)('unsubscribe, on %s', (_name, makeConnection) => {
  const connect = () => makeConnection(running.server.url)

  it('ends one channel and leaves the others', async () => {
    await using hub = new RecordedHub({ connect })
    await Promise.all([hub.record('left'), hub.record('right')])
    await hub.unsubscribe('left')
    expect(hub.isSubscribed('left')).toBe(false)
    expect(await running.server.call('PUBLISH', 'left', 'unheard')).toBe(0)
    await expectDelivery(running.server, hub, 'right', 'heard')
    expect(hub.messages).toEqual(['right: heard'])
  })

  it('may be followed at once by a new subscription', async () => {
    await using hub = new RecordedHub({ connect })
    await hub.record('left')
    await Promise.all([hub.unsubscribe('left'), hub.record('left')])
    await expectDelivery(running.server, hub, 'left', 'hello')
    expect(hub.messages).toEqual(['left: hello'])
  })

  it('of the last channel leaves a hub that still pings and subscribes', async () => {
    await using hub = new RecordedHub({ connect, pingEveryMs: 300 })
    await hub.record('left')
    await hub.unsubscribe('left')
    await hub.record('right')
    await expectDelivery(running.server, hub, 'right', 'hello')
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
  const connect = () => makeConnection(running.server.url)

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
  const connect = () => makeConnection(running.server.url)

  it('in a listener reaches onError and stops no other listener', async () => {
    await using hub = new RecordedHub({ connect })
    await hub.subscribe('left', () => {
      throw new Error('listener failed')
    })
    await hub.record('left')
    await expectDelivery(running.server, hub, 'left', 'one')
    await expectDelivery(running.server, hub, 'left', 'two')
    expect(hub.errors).toEqual(['listener failed', 'listener failed'])
  })

  it('in onDown, onGap or onError does not stop the hub', async () => {
    const boom = () => {
      throw new Error('callback failed')
    }
    await using hub = new RecordedHub({ connect, onDown: boom, onGap: boom, onError: boom })
    await hub.record('left')
    await running.server.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await until(() => !hub.isSubscribed('left'), { what: 'the loss to be noticed' })
    await hub.whenSubscribed('left')
    await expectDelivery(running.server, hub, 'left', 'hello')
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

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['redis://localhost', 'string'],
    [new URL('redis://localhost'), 'an object without on()'],
    [Promise.resolve(), 'an object without on()'],
    [{ on: () => undefined }, 'an object without connect()'],
  ])('is told of a connect that returns %p, and ends no process', async (returned, kind) => {
    const unhandled = jest.fn()
    process.on('unhandledRejection', unhandled)
    const hub = new RecordedHub({ connect: () => returned as never })
    const subscribed = Promise.allSettled([hub.record('left')])
    await until(() => hub.downs.length >= 2, { what: 'two failed attempts' })
    expect(new Set(hub.downs)).toEqual(new Set([`connect must return an ioredis connection, got ${kind}`]))
    await hub.close()
    expect((await subscribed).map(reasonOf)).toEqual(['The subscriber hub is closed'])
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('is nothing for a bad ping interval, which is refused at once', () =>
    expect(() => new RecordedHub({ connect, pingEveryMs: 0 })).toThrow('pingEveryMs must be above 0, got 0'))
})
