import { once } from 'node:events'
import { connect } from 'node:net'
import { NoServerError, openMemcached, startMemcached, type MemcachedServer } from '../src/index.js'

const given = process.env['MEMCACHED_URL']

afterEach(() => {
  if (given === undefined) delete process.env['MEMCACHED_URL']
  else process.env['MEMCACHED_URL'] = given
})

async function replyOf({ host, port }: MemcachedServer, command: string): Promise<string> {
  const socket = connect({ host, port })
  socket.write(command)
  const [reply] = (await once(socket, 'data', { signal: AbortSignal.timeout(2_000) })) as [Buffer]
  socket.destroy()
  return reply.toString()
}

it('uses the server that MEMCACHED_URL names, and no other', async () => {
  const url = 'memcached://memcached.invalid'
  process.env['MEMCACHED_URL'] = url
  expect(await openMemcached()).toMatchObject({ url, origin: 'MEMCACHED_URL' })
})

it('passes over what does not start, and says at the end how to get one', async () => {
  delete process.env['MEMCACHED_URL']
  const failing = (): Promise<never> => Promise.reject(new Error('it does not start'))
  const none = (): Promise<null> => Promise.resolve(null)
  const opened = { url: 'memcached://127.0.0.1:1', origin: 'a test', stop: () => Promise.resolve() }
  expect(await openMemcached([failing, none, () => Promise.resolve(opened)])).toBe(opened)
  await expect(openMemcached([failing, none])).rejects.toThrow(NoServerError)
  await expect(openMemcached([none])).rejects.toThrow(/sudo apt-get install memcached/)
})

it('starts a server that can be restarted without its data, and with other arguments', async () => {
  await using server = await startMemcached()
  await replyOf(server, 'set a 0 0 1\r\nx\r\n')
  expect(await replyOf(server, 'mg a v\r\n')).toBe('VA 1\r\nx\r\n')
  await server.restart(['-m', '4'])
  expect(await replyOf(server, 'mg a v\r\n')).toBe('EN\r\n')
  expect((await server.stats('settings')).get('evictions')).toBe('on')
  expect(await server.commands()).toBe(1)
})
