import { connectionLost } from '../../src/engine/index.js'
import { startRedis, uniqueName, until, type RedisServer } from '@holdfast/testkit'
import { nodeRedis } from '../../src/node-redis/index.js'
import { useClients } from './support/clients.js'
import { startMuteServer } from './support/mute-server.js'
import { rejectionOf } from './support/rejection.js'
import { versions } from './support/versions.js'

let server: RedisServer
let key: string

beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())
beforeEach(() => {
  key = uniqueName('fault')
})

describe.each(versions)('over node-redis $version', ({ createClient }) => {
  const clients = useClients()

  it('a command whose reply was lost runs once, and is rejected as lost', async () => {
    const proxy = await clients.proxy(server)
    const { commands } = clients.connect(nodeRedis(createClient({ url: proxy.url })))
    const lost = proxy.loseReply((request) => request.startsWith('INCR'))
    const error = await rejectionOf(commands.call('INCR', key))
    await lost
    expect(error).toHaveProperty([connectionLost], true)
    await commands.call('PING')
    expect(await server.call('GET', key)).toBe('1')
  })

  it('a command that could not be sent is rejected, and does not run when there is a connection again', async () => {
    const proxy = await clients.proxy(server)
    const { commands } = clients.connect(nodeRedis(createClient({ url: proxy.url })))
    await commands.call('PING')
    await proxy.refuse()
    proxy.cut()
    await until(() => commands.status === 'reconnecting', { what: 'the connection to break' })
    const error = await rejectionOf(commands.call('SET', key, 'late'))
    expect(error).toHaveProperty([connectionLost], true)
    await proxy.accept()
    await until(() => commands.status === 'ready', { what: 'another connection' })
    await commands.call('PING')
    expect(await server.call('EXISTS', key)).toBe(0)
  })

  it('a handshake that gets no reply ends the attempt', async () => {
    const proxy = await clients.proxy(server)
    proxy.blackHole('toClient')
    const { commands } = clients.connect(nodeRedis(createClient({ url: proxy.url })), 200)
    const error = await rejectionOf(commands.call('PING'))
    expect(error.message).toMatch(/nothing has come back within 200 ms$/)
    proxy.heal()
    await until(() => commands.status === 'ready', { what: 'another attempt' })
  })

  it('a connection that is ended while it is being made does not come to be', async () => {
    const proxy = await clients.proxy(server)
    const { makeSubscriber } = clients.connect(nodeRedis(createClient({ url: proxy.url })))
    for (let steps = 0; steps < 24; steps++) {
      const connection = makeSubscriber()
      const ended = new Promise<void>((resolve) => connection.on('end', resolve))
      connection.connect().catch(() => undefined)
      // At each of the first steps of connecting: before the socket is made, while it is connecting, and later.
      for (let i = 0; i < steps; i++) await (i < 16 ? null : new Promise(setImmediate))
      connection.disconnect()
      connection.disconnect()
      await ended
    }
    await until(() => proxy.connections === 0, { what: 'no connection to be left' })
  })

  it('what is not Redis is said to be none, whether it sends something else or closes the connection', async () => {
    const texts = ['HTTP/1.1 400 Bad Request\r\n\r\n', '']
    for (const text of texts) {
      const other = await startMuteServer(text)
      clients.closeAfterTest(() => other.close())
      const holdfast = clients.open(nodeRedis(createClient({ url: `redis://127.0.0.1:${other.port}` })))
      const error = await rejectionOf(holdfast.getLock(key).tryLock())
      expect(error.message).toMatch(
        text === ''
          ? /closed the connection without a reply, as a Redis does that has reached its maxclients/
          : /does not speak the Redis protocol/,
      )
    }
  })
})
