import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * All that is kept in the async context, for all processes in one place: Node.js before 24 attends to each `AsyncLocalStorage` at every
 * promise.
 */
const contexts = new AsyncLocalStorage<ReadonlyMap<object, unknown>>()

/** What a program takes for `AsyncLocalStorage`. */
export class Storage {
  static readonly bind = AsyncLocalStorage.bind.bind(AsyncLocalStorage)
  static readonly snapshot = AsyncLocalStorage.snapshot.bind(AsyncLocalStorage)

  run(value: unknown, fn: (...args: unknown[]) => unknown, ...args: unknown[]): unknown {
    return contexts.run(new Map(contexts.getStore()).set(this, value), fn, ...args)
  }

  getStore(): unknown {
    return contexts.getStore()?.get(this)
  }
}

/** Has a callback run in the context of now. */
export function inThisContext(run: () => void): () => void {
  const context = contexts.getStore() ?? outside
  return () => contexts.run(context, run)
}

const outside: ReadonlyMap<object, unknown> = new Map()

/** Has promises cost what they do otherwise. */
export const forgetContexts = (): void => contexts.disable()
