import * as asyncHooks from 'node:async_hooks'
import * as crypto from 'node:crypto'
import { createRequire } from 'node:module'
import type { Due } from './agenda.js'
import { epochMs, type Realm } from './realm.js'
import { inThisContext, Storage } from './storage.js'

const requireReal = createRequire(import.meta.url)

type Callback = (...args: unknown[]) => void

/** As Node.js has it. Keeps no process alive. */
class Timer {
  readonly realm: Realm
  readonly due: Due

  constructor(realm: Realm, due: Due) {
    this.realm = realm
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
    this.realm.restart(this.due)
    return this
  }

  [Symbol.toPrimitive](): number {
    return this.due.turn
  }
}

/** The process that a copy of the program runs in: one after another. */
export interface Place {
  realm: Realm
}

/** What a program finds, by name: all that depends on time, chance or other processes is that of the process. */
export function globalsOf(place: Place): ReadonlyMap<string, unknown> {
  const timers = timersOf(place)
  const { setTimeout } = timers
  const performance = { now: () => place.realm.monotonicMs, timeOrigin: epochMs }
  const own = {
    ...timers,
    performance,
    Date: dateOf(place),
    Math: mathOf(place),
    AbortSignal: abortSignalOf(setTimeout),
    FinalizationRegistry: NoRegistry,
    Atomics: { wait: (...[, , , ms]: [unknown, unknown, unknown, number]) => stall(place, ms) },
  }
  const random = cryptoOf(place)
  const promises = {
    setTimeout: (ms: number, value: unknown) =>
      new Promise((resolve) => setTimeout(() => resolve(value), ms)),
    setImmediate: (value: unknown) => new Promise((resolve) => timers.setImmediate(() => resolve(value))),
  }
  const modules = new Map<string, unknown>([
    ['async_hooks', withOwn(asyncHooks, { AsyncLocalStorage: Storage })],
    ['crypto', random],
    ['perf_hooks', { performance }],
    ['timers', timers],
    ['timers/promises', promises],
  ])
  const require = (id: string): unknown => modules.get(id.replace(/^node:/, '')) ?? requireReal(id)
  const shadows: ReadonlyMap<string, unknown> = new Map(Object.entries({ ...own, crypto: random.webcrypto }))
  const global = new Proxy(globalThis, {
    get: (real, key): unknown =>
      typeof key === 'string' && shadows.has(key) ? shadows.get(key) : Reflect.get(real, key),
  })
  const proc = new Proxy(process, {
    get: (real, key): unknown => {
      if (key === 'emitWarning') return () => undefined
      const value: unknown = Reflect.get(real, key)
      return typeof value === 'function'
        ? (...args: unknown[]) => Reflect.apply(value, real, args) as unknown
        : value
    },
  })
  return new Map<string, unknown>([
    ...Object.entries({ ...own, require, process: proc, globalThis: global }),
    ['trueNowMs', () => place.realm.world.nowMs],
  ])
}

/** Callbacks run in the async context in which they were given, as those of real timers do. */
function timersOf(place: Place) {
  const start = (run: Callback, ms: number, args: unknown[], repeats: boolean): Timer => {
    const bound = inThisContext(() => run(...args))
    const { realm } = place
    return new Timer(realm, realm.startTimer(ms, bound, repeats))
  }
  /** As Node.js rounds them. */
  const wholeMs = (ms: unknown): number => (typeof ms === 'number' && ms >= 1 ? Math.trunc(ms) : 1)
  const clear = (timer: unknown): void => {
    if (timer instanceof Timer) timer.realm.stopTimer(timer.due)
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

function dateOf(place: Place): DateConstructor {
  const now = (): number => Math.floor(place.realm.wallMs)
  return new Proxy(Date, {
    construct: (real, args: unknown[]) => Reflect.construct(real, args.length === 0 ? [now()] : args) as Date,
    get: (real, key): unknown => (key === 'now' ? now : Reflect.get(real, key)),
  })
}

const ofMath = Object.getOwnPropertyDescriptors(Math)

function mathOf(place: Place): object {
  const random = { value: () => place.realm.random() }
  return Object.defineProperties({}, { ...ofMath, random })
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

function cryptoOf(place: Place) {
  const fill = <T extends NodeJS.ArrayBufferView>(view: T): T => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
    const { random } = place.realm
    for (let n = 0; n < bytes.length; n += 1) bytes[n] = Math.floor(random() * 256)
    return view
  }
  const randomBytes = (count: number): Buffer => fill(Buffer.alloc(count))
  return withOwn(crypto, {
    randomBytes,
    randomFillSync: fill,
    randomUUID: () => randomBytes(16).toString('hex'),
    getRandomValues: fill,
    webcrypto: { getRandomValues: fill },
  })
}

/** A module with some members of its own. */
const withOwn = <M extends object, O extends object>(module: M, own: O): M & O =>
  Object.create(module, Object.getOwnPropertyDescriptors(own)) as M & O

/** When garbage is collected is no matter of a seed. */
class NoRegistry {
  readonly register = nothing
  readonly unregister = nothing
}

function nothing(): void {
  return undefined
}

/** The process does nothing for so long. */
function stall({ realm }: Place, ms: number): string {
  realm.step(ms)
  return 'timed-out'
}
