import { UnavailableError } from '../../src/engine/index.js'
import type { Address, EngineHost, EngineSession, LockEngine } from '../../src/engine/index.js'
import { pause, timedOut, withTimeout } from '../../src/util/timeouts.js'

/** An engine whose steps take time on their way there and back, in order, and that can be frozen. */
export class SlowEngine implements LockEngine {
  readonly name = 'slow'
  readonly traits: LockEngine['traits']
  readonly #engine: LockEngine
  readonly #delayMs: () => number
  #thawed: Promise<void> = Promise.resolve()
  #thaw: () => void = () => undefined

  constructor(engine: LockEngine, delayMs: () => number) {
    this.#engine = engine
    this.#delayMs = delayMs
    this.traits = engine.traits
  }

  freeze(): void {
    this.#thawed = new Promise((resolve) => {
      this.#thaw = resolve
    })
  }

  thaw(): void {
    this.#thaw()
  }

  open(host: EngineHost): EngineSession {
    const session = this.#engine.open(host)
    let there: Promise<unknown> = Promise.resolve()
    const through = async <T>(step: () => Promise<T>, timeoutMs = host.commandTimeoutMs): Promise<T> => {
      const arrived = Promise.all([there, pause(this.#delayMs())]).then(() => this.#thawed)
      there = arrived
      const reply = await withTimeout(
        arrived.then(async () => {
          const given = await step()
          await pause(this.#delayMs())
          return given
        }),
        timeoutMs,
      )
      if (reply === timedOut) throw new UnavailableError('no reply', { engine: 'slow' })
      return reply
    }
    const { store, names, steps, inbox, registry } = session
    return {
      store: {
        get connectionEpoch() {
          return store.connectionEpoch
        },
        incarnation: (address) => through(() => store.incarnation(address)),
        knownIncarnation: (address) => store.knownIncarnation(address),
        uptimeMs: (address: Address) => through(async () => store.uptimeMs?.(address)),
      },
      names,
      steps: {
        acquire: (address, request, timeoutMs) =>
          through(() => steps.acquire(address, request, timeoutMs), timeoutMs),
        release: (address, request, timeoutMs) =>
          through(() => steps.release(address, request, timeoutMs), timeoutMs),
        renew: (renewals, timeoutMs) => through(() => steps.renew(renewals, timeoutMs), timeoutMs),
        refresh: (entries) => through(() => steps.refresh(entries)),
        force: (address, owner) => through(() => steps.force(address, owner)),
        inspect: (address, limit) => through(() => steps.inspect(address, limit)),
        raiseToken: (address: Address, token: number, keepMs: number) =>
          through(async () => steps.raiseToken?.(address, token, keepMs)),
      },
      inbox,
      registry: {
        register: () => through(() => registry.register()),
        find: (clientId) => through(() => registry.find(clientId)),
      },
      prepare: (address) => through(() => session.prepare(address)),
      close: () => session.close(),
    }
  }
}
