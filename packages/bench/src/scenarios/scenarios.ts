import type { Scenario } from '../scenario.js'
import { uncontended } from './uncontended.js'

/** In the order in which a full run plays them. */
export const scenarios: readonly Scenario[] = [uncontended]
