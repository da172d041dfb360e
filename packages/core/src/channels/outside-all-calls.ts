import { AsyncLocalStorage } from 'node:async_hooks'

/** Runs a function in a certain async context, whichever one is running. */
export type InContext = <T>(fn: () => T) => T

/** The context of the code that first loaded this package: mostly none. A snapshot is of all stores, those of others too. */
export const outsideAllCalls: InContext = AsyncLocalStorage.snapshot()
