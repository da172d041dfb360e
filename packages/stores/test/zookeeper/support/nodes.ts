import { zooKeeperTickMs } from '@holdfast/testkit'
import { Requests, type Request } from '../../../src/zookeeper/client/requests.js'
import { Session } from '../../../src/zookeeper/client/session.js'

const timeoutMs = 10_000
const ignore = (): void => undefined
const requests = new Requests([{ permissions: 'rwcda', scheme: 'world', id: 'anyone' }])

/** A session of the test's own, that looks at nodes and changes them. */
export async function withSession<T>(
  connect: string,
  use: (ask: <R>(request: Request<R>) => Promise<R>, requests: Requests, session: Session) => Promise<T>,
): Promise<T> {
  const servers = connect.split(',').map((each) => {
    const [host = '', port] = each.split(':')
    return { host, port: Number(port) }
  })
  const session = new Session(
    {
      ...{ servers, tls: undefined, auth: [], sessionTimeoutMs: 20_000, commandTimeoutMs: timeoutMs },
      ...{ requests, tickMs: zooKeeperTickMs, now: () => performance.now() },
    },
    { broken: ignore, ended: ignore, connected: ignore },
  )
  try {
    return await use((request) => session.request(request, timeoutMs), requests, session)
  } finally {
    await session.close()
  }
}

/** Removes all that Holdfast has there. What is made meanwhile stays. */
export const removeAll = (connect: string): Promise<void> =>
  withSession(connect, async (ask, make) => {
    const clear = async (path: string): Promise<void> => {
      const names = (await ask(make.getChildren(path, false))) ?? []
      await Promise.all(names.map((name) => clear(`${path}/${name}`)))
      await ask(make.remove(path)).catch(ignore)
    }
    await clear('/holdfast')
  })
