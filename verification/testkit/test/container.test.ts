import { openRedis, redisFromDocker, startContainerRedis, until, withRedis } from '../src/index.js'

/** These tests need a Docker daemon; elsewhere they pass without running. */
function whereDockerAnswers(name: string, test: () => Promise<void>): void {
  it(
    name,
    async () => {
      if (await redisFromDocker()) await test()
    },
    120_000,
  )
}

whereDockerAnswers('a container can be frozen, killed and restarted on its port', async () => {
  await using server = await startContainerRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] })
  const { url } = server
  const runId = await server.runId()
  await expect(server.call('CONFIG', 'GET', 'maxmemory-policy')).resolves.toContain('allkeys-lru')
  await expect(server.call('DEBUG', 'SLEEP', 0)).resolves.toBe('OK')

  await withRedis(url, async (redis) => {
    await server.freeze()
    let answered = false
    const reply = redis.set('k', 'v').then(() => (answered = true))
    await expect(until(() => answered, { timeoutMs: 100 })).rejects.toThrow('waited')
    await server.thaw()
    await reply
  })

  await server.restart({ empty: false })
  await expect(server.call('GET', 'k')).resolves.toBe('v')
  await server.kill()
  await expect(server.call('PING')).rejects.toThrow()
  await server.restart()
  expect(server.url).toBe(url)
  await expect(server.call('GET', 'k')).resolves.toBeNull()
  await expect(server.runId()).resolves.not.toBe(runId)

  await server.freeze()
  await server.stop()
  await server.stop()
  await expect(server.restart()).rejects.toThrow('already stopped')
})

whereDockerAnswers('openRedis reports a container as its origin', async () => {
  await using opened = await openRedis([redisFromDocker])
  expect(opened.origin).toBe('a Docker container')
  await expect(withRedis(opened.url, (redis) => redis.ping())).resolves.toBe('PONG')
})
