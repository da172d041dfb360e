import type { RedisServer } from '../../server/redis-server.js'

/** Sets parameters in the given order. Resolves with a function that restores them in reverse order. */
export async function setConfig(
  server: RedisServer,
  parameters: Readonly<Record<string, string | number>>,
): Promise<() => Promise<void>> {
  const before: [name: string, value: string][] = []
  const restore = async () => {
    for (const [name, value] of [...before].reverse()) await server.call('CONFIG', 'SET', name, value)
  }
  try {
    for (const [name, value] of Object.entries(parameters)) {
      const was = await getConfig(server, name)
      await server.call('CONFIG', 'SET', name, value)
      before.push([name, was])
    }
  } catch (error) {
    await restore()
    throw error
  }
  return restore
}

export async function getConfig(server: RedisServer, name: string): Promise<string> {
  const answer = await server.call('CONFIG', 'GET', name)
  if (Array.isArray(answer) && typeof answer[1] === 'string') return answer[1]
  throw new Error(`${server.url} has no parameter ${name}`)
}
