import type { Mistake } from '../mistake.js'
import { pair, pairWithFault, resized, trio } from './bounds.js'
import type { SharedModule } from './memory-machine.js'

/** Mistakes in the state machine of read/write locks and semaphores of the memory engine. */
export const sharedMachineMistakes: readonly Mistake<SharedModule>[] = [
  {
    mistake: 'enters above the size',
    breaks: 'exclusion',
    bounds: pair,
    from: `if (used + want > room) return 'blocks'`,
    to: ``,
  },
  {
    mistake: 'counts holds that have ended',
    breaks: 'expiry',
    bounds: pair,
    from: `if (untilUs <= nowUs) state.holds.delete(owner)`,
    to: ``,
  },
  {
    mistake: 'takes a late request for a repeated one',
    breaks: 'refusal',
    bounds: pairWithFault,
    from: `if (hold.permits < want) return { kind: 'lost' }`,
    to: ``,
  },
  {
    mistake: 'overlooks the tombstone of an abandoned owner',
    breaks: 'refusal',
    bounds: pairWithFault,
    from: `if (isAbandoned(state, owner, nowUs)) return { kind: 'abandoned' }`,
    to: ``,
  },
  {
    mistake: 'raises the permits of a hold',
    breaks: 'count',
    bounds: { owners: 2, faults: 1, shared: { size: 3, wants: [3, 1] } },
    from: `Math.min(hold.permits, left)`,
    to: `left`,
  },
  {
    mistake: 'lets those behind a blocked waiter in',
    breaks: 'order',
    bounds: trio,
    from: `return 'blocks'`,
    to: `return 'passed over'`,
  },
  {
    mistake: 'lets a waiter in that is not subscribed',
    breaks: 'handOff',
    bounds: pairWithFault,
    from: `(!isRequester && !context.isSubscribed(owner))`,
    to: `false`,
  },
  {
    mistake: 'has a waiter above the size stop the others',
    breaks: 'handOff',
    bounds: resized,
    from: `want > room ||`,
    to: ``,
  },
  {
    mistake: 'lets a waiter in that is stale',
    breaks: 'handOff',
    bounds: pairWithFault,
    from: `const isAlive = aliveUntilUs > nowUs`,
    to: `const isAlive = true`,
  },
  {
    mistake: 'loses the waiters that it passes over',
    breaks: 'order',
    bounds: pairWithFault,
    from: `if (outcome !== 'passed over') state`,
    to: `state`,
  },
  {
    mistake: 'has each that enters have a token of its own',
    breaks: 'token',
    bounds: trio,
    from: `if (token === 0) token =`,
    to: `token =`,
  },
  {
    mistake: 'releases without letting others in',
    breaks: 'handOff',
    bounds: pair,
    from: `letIn(state, context)\n  return hold ?`,
    to: `return hold ?`,
  },
  {
    mistake: 'resizes again when the request is repeated',
    breaks: 'repetition',
    bounds: resized,
    from: `if (lastId === id) return { kind: 'resized', version, size: lastSize }`,
    to: `if (lastId === id) {\n    state.resized = null\n    return { kind: 'resized', version, size: lastSize }\n  }`,
  },
  {
    mistake: 'does not say that the first waiter fits',
    breaks: 'ttl',
    bounds: pairWithFault,
    from: `if (aliveUntilUs <= nowUs || used + want <= room) return -2`,
    to: ``,
  },
]
