// The parts we use of libraries that ship without types, or whose `exports` hide them.

declare module 'redlock-4' {
  import type { EventEmitter } from 'node:events'

  export interface Options {
    readonly retryCount?: number
    readonly retryDelay?: number
    readonly retryJitter?: number
  }

  export default class Redlock extends EventEmitter {
    static readonly LockError: new () => Error
    constructor(clients: readonly unknown[], options?: Options)
    lock(resource: string, leaseMs: number): Promise<{ unlock(): Promise<void> }>
  }
}

declare module 'redlock-5' {
  import type { EventEmitter } from 'node:events'

  export interface Settings {
    readonly retryCount?: number
    readonly retryDelay?: number
    readonly retryJitter?: number
  }

  export class ExecutionError extends Error {}
  export class ResourceLockedError extends Error {}

  export default class Redlock extends EventEmitter {
    constructor(clients: readonly unknown[], settings?: Settings)
    acquire(resources: readonly string[], leaseMs: number): Promise<{ release(): Promise<unknown> }>
    using(
      resources: readonly string[],
      leaseMs: number,
      routine: (signal: AbortSignal) => Promise<void>,
    ): Promise<void>
  }
}

declare module 'node-zookeeper-client' {
  type Done<T> = (error: Error | null, value: T) => void

  interface Client {
    once(event: 'connected', listener: () => void): void
    connect(): void
    close(): void
    mkdirp(path: string, done: Done<string>): void
    create(path: string, mode: number, done: Done<string>): void
    getChildren(path: string, done: Done<readonly string[]>): void
    exists(path: string, watcher: () => void, done: Done<object | null>): void
    remove(path: string, done: Done<unknown>): void
  }

  const zookeeper: {
    createClient(connect: string, options: { readonly sessionTimeout: number }): Client
    readonly CreateMode: { readonly EPHEMERAL_SEQUENTIAL: number }
  }
  export default zookeeper
}
