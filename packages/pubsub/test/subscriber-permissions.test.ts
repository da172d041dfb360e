import { startRedis, until } from '@holdfast/testkit'

import { clients, expectDelivery, reasonOf, RecordedHub, useServer } from './recorded-hub.js'

const running = useServer()

describe.each(clients)('permissions, on %s', (_name, makeConnection) => {
  const guest = { username: 'guest', password: 'secret' }
  const setGuest = (...rules: string[]) =>
    running.server.call('ACL', 'SETUSER', 'guest', 'on', '>secret', '+@all', 'resetchannels', ...rules)
  const asGuest = () => makeConnection(running.server.url, guest)

  afterEach(() => running.server.call('ACL', 'DELUSER', 'guest'))

  it('that are missing for a channel refuse it at once and disturb no other', async () => {
    await setGuest('&left')
    await using hub = new RecordedHub({ connect: asGuest })
    const [left, right] = await Promise.allSettled([hub.record('left'), hub.record('right')])
    expect(left.status).toBe('fulfilled')
    expect(reasonOf(right)).toMatch(/^NOPERM/)
    await expect(hub.record('right')).rejects.toThrow(/^NOPERM/)
    await expect(hub.whenSubscribed('right')).rejects.toThrow('No subscription to right')
    await expectDelivery(running.server, hub, 'left', 'hello')
    expect([hub.downs, hub.errors]).toEqual([[], []])
  })

  it('that are withdrawn later are reported, and their return is a gap', async () => {
    await setGuest('&left', '&right')
    await using hub = new RecordedHub({ connect: asGuest, pingEveryMs: 50 })
    await Promise.all([hub.record('left'), hub.record('right')])
    await setGuest('&left')
    await running.server.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await until(() => hub.errors.length > 0, { what: 'the refusal to be reported' })
    expect(hub.errors[0]).toMatch(/^NOPERM/)
    await until(() => hub.gaps.length > 0, { what: 'the gap of the other channel' })
    // On a busy machine a ping takes longer than 50 ms, and its link is replaced: one more gap.
    expect(hub.gaps.flat()).not.toContain('right')
    await running.server.call('ACL', 'SETUSER', 'guest', '&right')
    await hub.whenSubscribed('right')
    await until(() => hub.gaps.flat().includes('right'), { what: 'the gap of the channel that is back' })
    await expectDelivery(running.server, hub, 'right', 'welcome back')
  })

  it('of an unknown user refuse all subscriptions after a single attempt', async () => {
    let attempts = 0
    await using hub = new RecordedHub({
      connect: () => {
        attempts += 1
        return makeConnection(running.server.url, { username: 'nobody', password: 'wrong' })
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
