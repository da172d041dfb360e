import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from '../contender.js'
import { leaseMs } from './common.js'
import { inside } from './inside.js'

/** The parts that we use of the engine's own client. */
interface ClientModule {
  readonly Client: new (settings: object, events: object) => Client
}
interface Client {
  send(
    commands: readonly string[],
    timeoutMs: number,
  ): Promise<{ readonly replies: readonly { readonly code: string }[] }>
  close(): void
}

const timeoutMs = 10_000
const pollMs = [20, 40] as const

/** The floor: the recipe of many, which anybody's `delete` ends, on the engine's own client. No queue, no renewal, no notification of loss. */
export const memcachedByHand: Contender = {
  library: 'memcached by hand',
  isFloor: true,
  settings: `add and delete, again after ${pollMs.join(' to ')} ms, on the client of the engine`,
  waits: 'polling',
  async open(url) {
    const { Client } = (await inside('memcached/client/client.js')) as ClientModule
    const { hostname, host, port } = new URL(url)
    const nothing = (): void => undefined
    const client = new Client(
      {
        endpoint: { name: host, target: { host: hostname, port: Number(port) }, tls: undefined },
        silenceMs: timeoutMs,
      },
      { greet: () => Promise.resolve(), connected: nothing, broken: nothing },
    )
    const codeOf = async (command: string): Promise<string | undefined> =>
      (await client.send([command], timeoutMs)).replies[0]?.code
    return {
      async enter(name) {
        const key = `by-hand:${encodeURIComponent(name)}`
        while ((await codeOf(`add ${key} 0 ${leaseMs / 1_000} 1\r\nx\r\n`)) !== 'STORED') {
          await sleep(pollMs[0] + Math.random() * (pollMs[1] - pollMs[0]))
        }
        return async () => {
          await codeOf(`md ${key}\r\n`)
        }
      },
      close() {
        client.close()
        return Promise.resolve()
      },
    }
  },
}
