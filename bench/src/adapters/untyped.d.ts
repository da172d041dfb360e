// The parts we use of a library whose `exports` hide its types.

declare module 'redlock-5' {
  import type { EventEmitter } from 'node:events'

  export interface Settings {
    readonly retryCount?: number
    readonly retryDelay?: number
    readonly retryJitter?: number
  }

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
