import { AsyncLocalStorage } from 'node:async_hooks'
import { isObserved, operations } from './channels.js'
import type { InContext } from './outside-all-calls.js'

/** Of the call that runs several acquisitions as one, whose parts run in the context of the acquisition as a whole. */
const contextOfWhole = new AsyncLocalStorage<InContext>()

/**
 * The context of the running call, for the hold that a timer or a socket will begin in its name; `undefined` if no one listens.
 * Those who make spans find that of the caller in it.
 */
export const contextOfCall = (): InContext | undefined =>
  isObserved(operations.hold) ? (contextOfWhole.getStore() ?? AsyncLocalStorage.snapshot()) : undefined

/** Runs the parts of an acquisition, whose holds begin in that context. */
export const inWhole = <T>(inContext: InContext | undefined, acquireParts: () => T): T =>
  inContext ? contextOfWhole.run(inContext, acquireParts) : acquireParts()
