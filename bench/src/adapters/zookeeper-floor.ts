import type { Contender } from '../contender.js'
import { leaseMs } from './common.js'
import { inside } from './inside.js'

/** The parts that we use of the engine's own client. */
interface Client {
  readonly Session: new (deps: object, events: object) => Session
}
interface Session {
  connect(timeoutMs: number): Promise<void>
  request<T>(request: Request<T>, timeoutMs: number): Promise<T>
  watch(kind: 'children', path: string, callback: () => void): () => void
  close(): Promise<void>
}
interface Request<T> {
  read(...reply: never): T
}
interface Making {
  readonly Requests: new (acl: readonly object[]) => Requests
  readonly mode: { readonly persistent: number; readonly ephemeralSequential: number }
}
interface Requests {
  create(path: string, data: string, mode: number): Request<{ readonly path: string } | string>
  remove(path: string): Request<boolean>
  getChildren(path: string, watch: boolean): Request<readonly string[] | null>
}

const timeoutMs = 10_000
const everyone = { permissions: 'rwcda', scheme: 'world', id: 'anyone' }

/** The floor: the recipe of ZooKeeper's documentation on the engine's own client. No retry, no lease, no notification of loss. */
export const zooKeeperByHand: Contender = {
  library: 'ZooKeeper by hand',
  isFloor: true,
  settings: 'ephemeral sequential nodes, each waiter watches the one ahead, on the client of the engine',
  waits: 'queueing',
  async open(url) {
    const { Session } = (await inside('zookeeper/client/session.js')) as Client
    const { Requests, mode } = (await inside('zookeeper/client/requests.js')) as Making
    const [host, port] = url.split(':')
    const requests = new Requests([everyone])
    const nothing = (): void => undefined
    const session = new Session(
      {
        ...{ servers: [{ host, port: Number(port) }], tls: undefined, auth: [], requests },
        ...{ sessionTimeoutMs: leaseMs, commandTimeoutMs: timeoutMs, now: () => performance.now() },
      },
      { broken: nothing, ended: nothing, connected: nothing },
    )
    await session.connect(timeoutMs)
    const ask = <T>(request: Request<T>): Promise<T> => session.request(request, timeoutMs)
    const whenGone = (path: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const forget = session.watch('children', path, resolve)
        ask(requests.getChildren(path, true)).then((names) => {
          if (names !== null) return
          forget()
          resolve()
        }, reject)
      })
    const made = new Set<string>()
    return {
      async enter(name) {
        const queue = `/by-hand-${encodeURIComponent(name)}`
        if (!made.has(queue)) await ask(requests.create(queue, '', mode.persistent))
        made.add(queue)
        // Both at once, as the engine does.
        const [own, listed] = await Promise.all([
          ask(requests.create(`${queue}/`, '', mode.ephemeralSequential)),
          ask(requests.getChildren(queue, false)),
        ])
        if (typeof own === 'string') throw new Error(`${queue}: ${own}`)
        for (let names = listed; ; names = await ask(requests.getChildren(queue, false))) {
          const ahead = (names ?? []).map((each) => `${queue}/${each}`).filter((path) => path < own.path)
          const next = ahead.sort().at(-1)
          if (next === undefined) break
          await whenGone(next)
        }
        return async () => {
          await ask(requests.remove(own.path))
        }
      },
      close: () => session.close(),
    }
  },
}
