import { randomUUID } from 'node:crypto'
import type { Examination, Finding } from '@holdfast/core/engine'
import { Asking } from '../asking.js'
import { Requests } from '../client/requests.js'
import { Session } from '../client/session.js'
import type { Acl, Settings } from '../options.js'
import { Paths } from '../paths.js'
import { onAccess, onEnsemble, onNodeTypes, onServers, onSessions, onTicks } from './findings.js'
import { fieldsOf, replyTo } from './words.js'

/** Where an ensemble keeps its own configuration. */
const configPath = '/zookeeper/config'
/** More than servers ever grant. */
const longestMs = 2 ** 31 - 1
/** Of a node that is removed at once. */
const ttlMs = 60_000

/** Looks at an ensemble for those who run it: see `LockEngine.examine`. */
export async function examine(settings: Settings, examination: Examination): Promise<readonly Finding[]> {
  const wantedMs = settings.sessionTimeoutMs ?? examination.watchdogTimeoutMs
  const grantedFor = (ms: number): Promise<number> =>
    withSession(settings, examination, ms, (_, granted) => Promise.resolve(granted))
  const sessions = await lookAt('sessions', async () => {
    const [shortest, longest] = [await grantedFor(1), await grantedFor(longestMs)]
    const serverMs = await tickOf(settings, examination)
    return [
      onSessions({ shortestMs: shortest, longestMs: longest, wantedMs }),
      onTicks(settings.tickMs, serverMs, shortest),
    ]
  })
  const servers = await lookAt('servers', async () => [
    onServers(await Promise.all(settings.servers.map((server) => wordOf(server, settings, examination)))),
  ])
  const rest = await lookAt('nodes', () =>
    withSession(settings, examination, wantedMs, (asking) => examineNodes(asking, settings, examination)),
  )
  return [...sessions, ...servers, ...rest]
}

async function examineNodes(
  asking: Asking,
  { root, acl }: Settings,
  { timeoutMs }: Examination,
): Promise<Finding[]> {
  const { base, locks, clients, mailboxes } = new Paths(root)
  const requests = new Requests(acl)
  const ensemble = lookAt('ensemble', async () => [
    onEnsemble((await asking.ask(requests.getData(configPath, false), timeoutMs))?.data ?? ''),
  ])
  const access = lookAt('access list', async () => {
    const lists = new Map<string, readonly Acl[]>()
    for (const path of [base, locks, clients, mailboxes]) {
      const list = await asking.ask(requests.getAcl(path), timeoutMs)
      if (list) lists.set(path, list)
    }
    return [onAccess(lists)]
  })
  const types = lookAt('node types', async () => {
    const path = `${base}/examination-${randomUUID()}`
    const made = await asking.ask(requests.createTtl(path, ttlMs), timeoutMs)
    if (made === 'created') await asking.ask(requests.remove(path), timeoutMs)
    return [onNodeTypes(made === 'created')]
  })
  return (await Promise.all([ensemble, access, types])).flat()
}

/** What cannot be looked at stays unknown, and the other checks go on. */
async function lookAt(check: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look()
  } catch (error) {
    return [{ check, status: 'unknown', text: error instanceof Error ? error.message : String(error) }]
  }
}

/** The `tickTime`, if a server may say it: `conf` is not in the list of words that servers reply to unless it was put there. */
async function tickOf({ servers, tls }: Settings, { timeoutMs }: Examination): Promise<number | null> {
  const [server] = servers
  const reply = server && (await replyTo('conf', server, tls, timeoutMs))
  const tick = Number(fieldsOf(reply ?? '').get('tickTime'))
  return tick > 0 ? tick : null
}

async function wordOf(server: Settings['servers'][number], { tls }: Settings, { timeoutMs }: Examination) {
  const reply = await replyTo('srvr', server, tls, timeoutMs)
  const fields = fieldsOf(reply ?? '')
  return {
    address: `${server.host}:${server.port}`,
    version: /^\d[\d.]*/.exec(fields.get('Zookeeper version') ?? '')?.[0],
    mode: fields.get('Mode'),
    isThere: reply !== null,
  }
}

/** @param use - gets the length of the session that was granted, too */
async function withSession<T>(
  settings: Settings,
  { timeoutMs }: Examination,
  sessionTimeoutMs: number,
  use: (asking: Asking, grantedMs: number) => Promise<T>,
): Promise<T> {
  const nothing = (): void => undefined
  const now = (): number => performance.now()
  const requests = new Requests(settings.acl)
  const session = new Session(
    { ...settings, sessionTimeoutMs, commandTimeoutMs: timeoutMs, requests, now },
    { broken: nothing, ended: nothing, connected: nothing },
  )
  const asking = new Asking(session, 'ZooKeeper', now)
  try {
    await asking.connect(timeoutMs)
    return await use(asking, session.sessionMs)
  } finally {
    await session.close()
  }
}
