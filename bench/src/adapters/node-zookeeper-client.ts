import type { Contender } from '../contender.js'
import { leaseMs } from './common.js'

type Done<T> = (error: Error | null, value: T) => void

/** A call of it as a promise. */
const result = <T>(call: (done: Done<T>) => void): Promise<T> =>
  new Promise((resolve, reject) => call((error, value) => (error ? reject(error) : resolve(value))))

/** It has no lock of its own: users write the recipe of ZooKeeper's documentation on it. */
export const nodeZooKeeperClient: Contender = {
  library: 'node-zookeeper-client',
  configuration: 'best',
  settings: 'the recipe of ZooKeeper’s documentation; it has no lock of its own',
  waits: 'queueing',
  async open(url) {
    const { default: zookeeper } = await import('node-zookeeper-client')
    const client = zookeeper.createClient(url, { sessionTimeout: leaseMs })
    const connected = new Promise<void>((resolve) => client.once('connected', resolve))
    client.connect()
    await connected
    const { EPHEMERAL_SEQUENTIAL } = zookeeper.CreateMode
    const made = new Set<string>()
    const whenGone = (path: string): Promise<void> =>
      new Promise((resolve, reject) =>
        client.exists(
          path,
          () => resolve(),
          (error, stat) => {
            if (error) reject(error)
            else if (!stat) resolve()
          },
        ),
      )
    return {
      async enter(name) {
        const queue = `/plain-${encodeURIComponent(name)}`
        if (!made.has(queue)) await result<string>((done) => client.mkdirp(queue, done))
        made.add(queue)
        const own = await result<string>((done) => client.create(`${queue}/n-`, EPHEMERAL_SEQUENTIAL, done))
        for (;;) {
          const names = await result<readonly string[]>((done) => client.getChildren(queue, done))
          const ahead = names.map((each) => `${queue}/${each}`).filter((path) => path < own)
          const next = ahead.sort().at(-1)
          if (next === undefined) break
          await whenGone(next)
        }
        return async () => {
          await result<unknown>((done) => client.remove(own, done))
        }
      },
      close() {
        client.close()
        return Promise.resolve()
      },
    }
  },
}
