import type {
  Address,
  EngineHost,
  EngineSession,
  GrantNotice,
  LatchSession,
  LockEngine,
  LockSteps,
  OperatorSession,
  StoreFacts,
} from '@holdfast/core/engine'
import type { Link } from '../engine-under-test.js'
import { InProcessLink, type Network } from './in-process-link.js'

/** An engine for one client, and the network that it lies behind. */
export interface LinkedEngine {
  /** For the options of that client. */
  readonly engine: LockEngine
  /** Between the two. */
  readonly link: Link
}

/**
 * Puts a network between an engine in this process and one client, which takes the engine that is returned: steps, replies and
 * notifications take 2 ms each way, and the link holds them back, loses them or breaks.
 *
 * @param tripsPerStep - how many round trips each step takes
 * @param network - what carries messages instead, in whatever time
 */
export function linkedEngine(engine: LockEngine, tripsPerStep = 1, network?: Network): LinkedEngine {
  const { name, traits } = engine
  const link = new InProcessLink(name, tripsPerStep, network)
  const open = (host: EngineHost) => linkedSession(link, host, engine.open(farHost(host, link)))
  return { engine: { name, traits, open }, link }
}

/** Notifications take time, and those on their way are lost when the link breaks. */
function farHost(host: EngineHost, link: InProcessLink): EngineHost {
  const later = (report: () => void): void => {
    const { breaks } = link
    void link.arrival('toClient', 'notifications').then(() => {
      if (breaks === link.breaks && !link.isClosed) report()
    })
  }
  return {
    ...host,
    granted: (id: string, owner: string, grant: GrantNotice) => later(() => host.granted(id, owner, grant)),
    revoked: (owner: string) => later(() => host.revoked(owner)),
    wake: (id: string, owner?: string) => later(() => host.wake(id, owner)),
    opened: (id: string, generation: number) => later(() => host.opened(id, generation)),
    onMessage: (text: string) => later(() => host.onMessage(text)),
    missed: (id?: string) => later(() => host.missed(id)),
    unsubscribed: (cause: Error) => later(() => host.unsubscribed(cause)),
    // What holds are claimed by is known on the client's side.
    broken: () => host.broken(),
    reconnected: () => later(() => host.reconnected()),
    warn: (code, message) => host.warn(code, message),
    error: (error: unknown) => host.error(error),
  }
}

/** Sends something over the link; a step with the time that it is given, anything else with that of the client's commands. */
type Call = <T>(run: () => Promise<T>, stepMs?: number) => Promise<T>

function linkedSession(link: InProcessLink, host: EngineHost, far: EngineSession): EngineSession {
  const call: Call = (run, stepMs) => link.call(stepMs ?? host.commandTimeoutMs, run, stepMs !== undefined)
  link.onBreak = () => {
    queueMicrotask(() => {
      if (link.isClosed) return
      host.missed()
      host.reconnected()
    })
  }
  const store = linkedFacts(link, call, far.store)
  return {
    store,
    names: far.names,
    steps: linkedSteps(call, far.steps),
    inbox: far.inbox,
    registry: {
      register: () => call(() => far.registry.register()),
      find: (clientId) => call(() => far.registry.find(clientId)),
    },
    latches: far.latches && linkedLatches(call, far.latches),
    operator: far.operator && linkedOperator(call, far.operator),
    async prepare(address) {
      await call(() => far.prepare(address))
      await store.incarnation(address)
    },
    async close() {
      await link.close()
      await far.close()
    },
  }
}

function linkedFacts(link: InProcessLink, call: Call, far: StoreFacts): StoreFacts {
  let knownAt: number | undefined
  const uptimeMs = far.uptimeMs?.bind(far)
  return {
    get connectionEpoch() {
      return link.breaks
    },
    get aliveUntil() {
      return far.aliveUntil
    },
    async incarnation(address) {
      const { breaks } = link
      const incarnation = await call(() => far.incarnation(address))
      knownAt = breaks
      return incarnation
    },
    // After a break the store may be another one, as far as this side knows.
    knownIncarnation: (address) => (knownAt === link.breaks ? far.knownIncarnation(address) : undefined),
    ...(uptimeMs && { uptimeMs: (address: Address) => call(() => uptimeMs(address)) }),
  }
}

/** The steps of an engine that it need not have. */
type Optional<Name extends keyof LockSteps> = NonNullable<LockSteps[Name]>

function linkedSteps(call: Call, far: LockSteps): LockSteps {
  const acquireMany = far.acquireMany?.bind(far)
  const resize = far.resize?.bind(far)
  const raiseToken = far.raiseToken?.bind(far)
  const many: Optional<'acquireMany'> | undefined =
    acquireMany && ((request, stepMs) => call(() => acquireMany(request, stepMs), stepMs))
  const sized: Optional<'resize'> | undefined =
    resize && ((address, request, stepMs) => call(() => resize(address, request, stepMs), stepMs))
  const raised: Optional<'raiseToken'> | undefined =
    raiseToken && ((...step) => call(() => raiseToken(...step)))
  return {
    acquire: (address, request, stepMs) => call(() => far.acquire(address, request, stepMs), stepMs),
    release: (address, request, stepMs) => call(() => far.release(address, request, stepMs), stepMs),
    renew: (renewals, stepMs) => call(() => far.renew(renewals, stepMs), stepMs),
    refresh: (entries) => call(() => far.refresh(entries)),
    force: (address, owner) => call(() => far.force(address, owner)),
    inspect: (address, limit) => call(() => far.inspect(address, limit)),
    ...(many && { acquireMany: many }),
    ...(sized && { resize: sized }),
    ...(raised && { raiseToken: raised }),
    ...(far.noteToken && { noteToken: far.noteToken.bind(far) }),
  }
}

const linkedLatches = (call: Call, far: LatchSession): LatchSession => ({
  set: (address, request, stepMs) => call(() => far.set(address, request, stepMs), stepMs),
  countDown: (address, request, stepMs) => call(() => far.countDown(address, request, stepMs), stepMs),
  wait: (waits, stepMs) => call(() => far.wait(waits, stepMs), stepMs),
  delete: (address, request, stepMs) => call(() => far.delete(address, request, stepMs), stepMs),
  inspect: (address, limit) => call(() => far.inspect(address, limit)),
})

const linkedOperator = (call: Call, far: OperatorSession): OperatorSession => ({
  list: (cursor, filter) => call(() => far.list(cursor, filter)),
  clients: () => call(() => far.clients()),
  send: (clientIds, text, before) => call(() => far.send(clientIds, text, before)),
})
