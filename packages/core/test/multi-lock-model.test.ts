import { memory } from '@holdfast/memory'
import { inOrder } from '../src/composing/member-order.js'
import { closeAll, closeAfterTest } from './support/clients.js'
import { Holdfast } from '../src/index.js'
import { exploreMulti, type MultiExploration } from './model/multi/explore.js'
import type { MultiState } from './model/multi/state.js'

// Two multi locks and holders of single locks, in every order of their steps: an abstract model that shares only the order of the
// members with the code. A lease may end at any time, and a call may be given up.

afterEach(closeAll)

type Order = (names: readonly string[]) => readonly string[]

/** The order in which a multi lock really acquires its members. */
function realOrder(): Order {
  const holdfast = new Holdfast({ engine: memory() })
  closeAfterTest(() => holdfast.close())
  return (names) =>
    inOrder(names.map((name) => holdfast.getLock(name).member)).map(({ target }) => target.address.name)
}

const asGiven: Order = (names) => names

function explore(
  calls: readonly (readonly string[])[],
  order: Order,
  { losses, aborts }: Pick<MultiState, 'losses' | 'aborts'> = { losses: 0, aborts: 0 },
): MultiExploration {
  const callers = calls.map((names) => ({
    phase: 'requesting' as const,
    wants: order(names),
    hasLost: false,
  }))
  const free = { holder: null, queue: [] }
  return exploreMulti({ callers, members: { a: free, b: free, c: free }, losses, aborts })
}

const opposite = [
  ['a', 'b', 'c'],
  ['c', 'b', 'a'],
]
const crossing = [
  ['a', 'c'],
  ['c', 'b'],
]

describe('two multi locks over three members, with holders of single locks', () => {
  it.each([
    ['in opposite orders', [...opposite, ['a'], ['b']]],
    ['that cross in one member', [...crossing, ['c'], ['b']]],
  ])('%s get all their members or none, and are never stuck', (_, calls) => {
    const { problem, states } = explore(calls, realOrder())
    expect(problem).toBeNull()
    expect(states).toBeGreaterThan(200)
  })

  it('nor when a lease ends, or a call is given up', () => {
    const { problem, states } = explore([...opposite, ['b']], realOrder(), { losses: 1, aborts: 1 })
    expect(problem).toBeNull()
    expect(states).toBeGreaterThan(1_000)
  })

  it('would be stuck in the order given', () => {
    const { problem } = explore([...opposite, ['a']], asGiven)
    expect(problem).toMatchObject({ what: 'callers are stuck' })
  })
})
