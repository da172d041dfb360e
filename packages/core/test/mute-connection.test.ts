import assert from 'node:assert/strict'
import { Redis } from 'ioredis'
import { startRedis } from '@holdfast/testkit'
import type { FaultProxy, RedisServer } from '@holdfast/testkit'
import { UnavailableError } from '@holdfast/core'
import { ScriptConnection } from '../src/redis/connection/script-connection.js'
import { openConnections } from '../src/redis/connection/connections.js'
import type { Connections } from '../src/redis/connection/connections.js'
import { closeAfterTest, closeAll, openProxy } from './support/clients.js'

let server: RedisServer
let proxy: FaultProxy
let connections: Connections
let connection: ScriptConnection
let breaks: number

beforeEach(async () => {
  server = await startRedis()
  closeAfterTest(() => server.stop())
  proxy = await openProxy(server)
  connections = openConnections(proxy.url, 'c1', 1_000)
  breaks = 0
  const onBreak = () => breaks++
  connection = new ScriptConnection(connections, {
    timeoutMs: 1_200,
    patternsFor: String,
    onBreak,
    onReconnect() {},
    onError() {},
  })
  closeAfterTest(() => connection.close())
  await connection.readHash('nothing')
})

afterEach(closeAll)

it('a command from before a break says nothing about the connection after it', async () => {
  proxy.blackHole('toClient')
  const unanswered = connection.readHash('nothing')
  // As the client of a cluster says that one of its nodes has gone: not this one.
  assert(connections.commands instanceof Redis)
  connections.commands.emit('close')
  await expect(unanswered).rejects.toThrow(UnavailableError)
  proxy.heal()
  // It comes over the same connection.
  await expect(connection.readHash('nothing')).resolves.toEqual({})
  expect(breaks).toBe(1)
})
