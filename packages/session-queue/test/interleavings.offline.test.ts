import { Explored, type Setup } from './support/explored.js'
import { departing, shuffled, type Choose } from './support/scheduler.js'

// What clients of a store with sessions do, with their requests and replies in many orders: one departure from the usual order at each place,
// and any order. Nobody is in who must not be, tokens grow, and everyone gets in at last.

const shuffles = 60
const mostBranches = 4

type Scenario = (explored: Explored) => void

async function explore(setup: Omit<Setup, 'isOrdered'>, scenario: Scenario): Promise<string[]> {
  const problems = new Set<string>()
  for (const isOrdered of [true, false]) {
    const run = async (choose: Choose): Promise<void> => {
      const explored = Explored.open({ ...setup, isOrdered }, 2)
      scenario(explored)
      await explored.run(choose)
      for (const problem of explored.problems) problems.add(problem)
    }
    for (let seed = 1; seed <= shuffles; seed += 1) await run(shuffled(seed))
    for (let at = 0, isOver = false; !isOver; at += 1) {
      for (let by = 1; by <= mostBranches; by += 1) {
        const departure = departing(at, by)
        await run(departure.choose)
        isOver = !departure.wasLonger
        if (!departure.wasWider) break
      }
    }
  }
  return [...problems]
}

const writer = 1_000_000_000

describe('in every order of requests and replies that was tried', () => {
  it.each<[string, Omit<Setup, 'isOrdered'>, Scenario]>([
    [
      'a lock has one holder',
      { object: 'lock', size: 1 },
      (clients) => clients.wants(0, 'c0:1').wants(1, 'c1:1').wants(0, 'c0:2').wants(1, 'c1:2'),
    ],
    [
      'a lock is handed on when a session ends',
      { object: 'lock', size: 1 },
      (clients) => clients.wants(0, 'c0:1').wants(1, 'c1:1').wants(0, 'c0:2').endsSession(0).wants(1, 'c1:2'),
    ],
    [
      'readers share, writers do not, and a writer becomes a reader',
      { object: 'read-write-lock', size: writer },
      (clients) =>
        clients
          .wants(0, 'c0:1')
          .wants(1, 'c1:1', writer, { lowersTo: 1 })
          .wants(0, 'c0:2')
          .wants(1, 'c1:2')
          .wants(0, 'c0:3', writer),
    ],
    [
      'a semaphore has as many holders as permits, and some give back in between',
      { object: 'semaphore', size: 3 },
      (clients) =>
        clients
          .wants(0, 'c0:1', 2, { lowersTo: 1 })
          .wants(1, 'c1:1', 2)
          .wants(0, 'c0:2')
          .wants(0, 'c0:3', 2)
          .wants(1, 'c1:2', 3)
          .wants(1, 'c1:3'),
    ],
    [
      'all that fit get in before one of them leaves',
      { object: 'semaphore', size: 4 },
      (clients) =>
        clients
          .wants(0, 'c0:1', 4)
          .wants(1, 'c1:1')
          .wants(0, 'c0:2', 1, { until: ['c0:4', 'c1:1'] })
          .wants(0, 'c0:3', 1, { until: ['c0:4', 'c1:1'] })
          .wants(0, 'c0:4'),
    ],
    [
      'all readers get in behind a writer that becomes one and stays',
      { object: 'read-write-lock', size: writer },
      (clients) =>
        clients
          .wants(0, 'c0:1', writer, { lowersTo: 1, until: ['c0:2', 'c1:1', 'c1:2'] })
          .wants(0, 'c0:2')
          .wants(1, 'c1:1')
          .wants(1, 'c1:2'),
    ],
    [
      'a semaphore that shrinks and grows passes over who wants more, and lets them in later',
      { object: 'semaphore', size: 3, largest: 4 },
      (clients) =>
        clients
          .wants(0, 'c0:1')
          .wants(1, 'c1:1', 3)
          .resizes(0, 2)
          .wants(0, 'c0:2')
          .wants(1, 'c1:2', 2)
          .resizes(1, 4)
          .wants(0, 'c0:3', 3),
    ],
    [
      'a resize that ends leaves who entered by it inside, and two at once do no harm',
      { object: 'semaphore', size: 3, largest: 5 },
      (clients) =>
        clients
          .wants(1, 'c1:1', 3)
          .resizes(0, 5, 100)
          .wants(0, 'c0:1', 2)
          .wants(1, 'c1:2', 3)
          .resizes(1, 1, 100)
          .wants(0, 'c0:2')
          .passes(1_000)
          .wants(0, 'c0:3'),
    ],
  ])('%s', async (_, setup, scenario) => {
    expect(await explore(setup, scenario)).toEqual([])
  })
})
