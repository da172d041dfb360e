import { subscribe } from 'node:diagnostics_channel'
import type { Contender } from '../contender.js'
import { holdfast } from './holdfast.js'

const operations = ['acquire', 'hold', 'renew', 'release']
const phases = ['start', 'end', 'asyncStart', 'asyncEnd', 'error']

/** Holdfast in a process that listens to all that it publishes about locks, and does nothing with it. */
export const observedHoldfast: Contender = {
  ...holdfast,
  library: 'Holdfast, with subscribers',
  settings: 'a subscriber on every tracing channel',
  open: (url) => {
    for (const operation of operations)
      for (const phase of phases) subscribe(`tracing:holdfast:${operation}:${phase}`, () => undefined)
    return holdfast.open(url)
  },
}
