import { AsyncLocalStorage } from 'node:async_hooks'
import * as asyncHooks from 'node:async_hooks'
import * as crypto from 'node:crypto'
import { createRequire } from 'node:module'
import type { Due } from './agenda.js'
import type { Realm } from './realm.js'

const requireReal = createRequire(import.meta.url)

type Callback = (...args: unknown[]) => void

/** As Node.js has it. Keeps no process alive. */
class Timer {
  readonly #realm: Realm
  readonly due: Due

  constructor(realm: Realm, due: Due) {
    this.#realm = realm
    this.due = due
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return false
  }

  refresh(): this {
    this.#realm.restart(this.due)
    return this
  }

  [Symbol.toPrimitive](): number {
    return this.due.turn
  }
}

/** What a program finds in a process, by name: all that depends on time, chance or other processes is that of the realm. */
export function globalsOf(realm: Realm): ReadonlyMap<string, unknown> {
  const timers = timersOf(realm)
  const { setTimeout } = timers
  const performance = { now: () => realm.monotonicMs, timeOrigin: realm.wallMs - realm.monotonicMs }
  const own = {
    ...timers,
    performance,
    Date: dateOf(realm),
    Math: mathOf(realm),
    AbortSignal: abortSignalOf(setTimeout),
    FinalizationRegistry: NoRegistry,
    Atomics: { wait: (...[, , , ms]: [unknown, unknown, unknown, number]) => stall(realm, ms) },
  }
  const random = cryptoOf(realm)
  const promises = {
    setTimeout: (ms: number, value: unknown) => new Promise((resolve) => setTimeout(() => resolve(value), ms)),
    setImmediate: (value: unknown) =>
      new Promise((resolve) => timers.setImmediate(() => resolve(value))),
  }
  class Storage<T> extends AsyncLocalStorage<T> {
    constructor() {
      super()
      realm.world.storages.push(this)
    }
  }
  const modules = new Map<string, unknown>([
    ['async_hooks', { ...asyncHooks, AsyncLocalStorage: Storage }],
    ['crypto', random],
    ['perf_hooks', { performance }],
    ['timers', timers],
    ['timers/promises', promises],
  ])
  const require = (id: string): unknown => modules.get(id.replace(/^node:/, '')) ?? requireReal(id)
  const shadows: ReadonlyMap<string, unknown> = new Map(Object.entries({ ...own, crypto: random.webcrypto }))
  const global = new Proxy(globalThis, {
    get: (real, key) =>
      typeof key === 'string' && shadows.has(key) ? shadows.get(key) : Reflect.get(real, key),
  })
  const proc = new Proxy(process, {
    get: (real, key) => {
      if (key === 'emitWarning') return () => undefined
      const value: unknown = Reflect.get(real, key)
      return typeof value === 'function' ? value.bind(real) : value
    },
  })
  return new Map<string, unknown>([
    ...Object.entries({ ...own, require, process: proc, globalThis: global }),
    ['trueNowMs', () => realm.world.nowMs],
  ])
}

/** Callbacks run in the async context in which they were given, as those of real timers do. */
function timersOf(realm: Realm) {
  const start = (run: Callback, ms: number, args: unknown[], repeats: boolean): Timer => {
    const bound = AsyncLocalStorage.bind(run)
    return new Timer(realm, realm.startTimer(ms, () => bound(...args), repeats))
  }
  /** As Node.js rounds them. */
  const wholeMs = (ms: unknown): number => (typeof ms === 'number' && ms >= 1 ? Math.trunc(ms) : 1)
  const clear = (timer: unknown): void => {
    if (timer instanceof Timer) realm.stopTimer(timer.due)
  }
  return {
    setTimeout: (run: Callback, ms?: number, ...args: unknown[]) => start(run, wholeMs(ms), args, false),
    setInterval: (run: Callback, ms?: number, ...args: unknown[]) => start(run, wholeMs(ms), args, true),
    setImmediate: (run: Callback, ...args: unknown[]) => start(run, 0, args, false),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  }
}

function dateOf(realm: Realm): DateConstructor {
  const now = (): number => Math.floor(realm.wallMs)
  return new Proxy(Date, {
    construct: (real, args: unknown[]) =>
      Reflect.construct(real, args.length === 0 ? [now()] : args) as Date,
    get: (real, key): unknown => (key === 'now' ? now : Reflect.get(real, key)),
  })
}

function mathOf({ random }: Realm): Math {
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(Math),
    random: { value: random },
  }) as Math
}

function abortSignalOf(setTimeout: (run: Callback, ms: number) => unknown): typeof AbortSignal {
  const timeout = (ms: number): AbortSignal => {
    const controller = new AbortController()
    setTimeout(
      () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      ms,
    )
    return controller.signal
  }
  return new Proxy(AbortSignal, {
    get: (real, key): unknown => (key === 'timeout' ? timeout : Reflect.get(real, key)),
  })
}

function cryptoOf({ random }: Realm) {
  const fill = <T extends NodeJS.ArrayBufferView>(view: T): T => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
    for (let n = 0; n < bytes.length; n += 1) bytes[n] = Math.floor(random() * 256)
    return view
  }
  const randomBytes = (count: number): Buffer => fill(Buffer.alloc(count))
  return {
    ...crypto,
    randomBytes,
    randomFillSync: fill,
    randomUUID: () => randomBytes(16).toString('hex'),
    getRandomValues: fill,
    webcrypto: { getRandomValues: fill },
  }
}

/** When garbage is collected is no matter of a seed. */
class NoRegistry {
  register(): void {}
  unregister(): void {}
}

/** The process does nothing for so long. */
function stall(realm: Realm, ms: number): string {
  realm.step(ms)
  return 'timed-out'
}
