import type { LockEngine } from './session.js'

/** Whether something that was given as an engine looks like one. */
export const isEngine = (given: unknown): given is LockEngine =>
  typeof given === 'object' && given !== null && 'open' in given && 'traits' in given && 'name' in given
