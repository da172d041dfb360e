import { UnavailableError } from '../../src/engine/index.js'
import type { Address, EngineHost, EngineSession, LockEngine } from '../../src/engine/index.js'
import { pause } from '../../src/util/backoff.js'
import { timedOut, withTimeout } from '../../src/util/with-timeout.js'

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
    return {
      get connectionEpoch() {
        return session.connectionEpoch
      },
      locate: (name, object) => session.locate(name, object),
      resolve: (id) => session.resolve(id),
      isSubscribed: (address) => session.isSubscribed(address),
      knownIncarnation: (address) => session.knownIncarnation(address),
      subscribe: (address) => session.subscribe(address),
      prepare: (address) => through(() => session.prepare(address)),
      acquire: (address, request, timeoutMs) =>
        through(() => session.acquire(address, request, timeoutMs), timeoutMs),
      release: (address, request, timeoutMs) =>
        through(() => session.release(address, request, timeoutMs), timeoutMs),
      renew: (renewals, timeoutMs) => through(() => session.renew(renewals, timeoutMs), timeoutMs),
      refresh: (entries) => through(() => session.refresh(entries)),
      force: (address, owner) => through(() => session.force(address, owner)),
      inspect: (address, limit) => through(() => session.inspect(address, limit)),
      incarnation: (address) => through(() => session.incarnation(address)),
      uptimeMs: (address: Address) => through(async () => session.uptimeMs?.(address)),
      raiseToken: (address: Address, token: number, keepMs: number) =>
        through(async () => session.raiseToken?.(address, token, keepMs)),
      register: () => through(() => session.register()),
      find: (clientId) => through(() => session.find(clientId)),
      close: () => session.close(),
    }
  }
}
