import type { HoldfastEvents, HoldfastListener } from '@holdfast/core'

/** What the processes need of a client besides its objects. */
export interface ObservedClient {
  on<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): unknown
  scope<T>(fn: () => T | PromiseLike<T>): Promise<T>
}
