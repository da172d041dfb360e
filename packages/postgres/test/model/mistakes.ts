import { three, threeWithFault, two, twoWithFault, type Mistake } from '../../../core/test/model/mistake.js'
import type { Bounds } from '../../../core/test/model/state.js'

const withUpkeep: Bounds = { ...two, hasUpkeep: true }

/** Mistakes in the functions. Only those are here that one step at a time can show. */
export const functionMistakes: readonly Mistake<string>[] = [
  {
    mistake: 'counts by increment',
    breaks: 'count',
    bounds: twoWithFault,
    only: 'acquire_1',
    from: `l.hold_count := p_count;`,
    to: `l.hold_count := l.hold_count + p_count - 1;`,
  },
]
