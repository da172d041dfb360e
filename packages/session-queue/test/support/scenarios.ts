import { Explored, type Setup } from './explored.js'
import { departing, shuffled, type Choose } from './scheduler.js'

const shuffles = 60
const mostBranches = 4
const writer = 1_000_000_000

/** What clients of one object want, one after the other. */
export interface Scenario {
  readonly title: string
  readonly setup: Omit<Setup, 'isOrdered' | 'make'>
  readonly script: (clients: Explored) => Explored
}

/**
 * Plays a scenario with requests and replies in many orders: one departure from the usual order at each place, and any order.
 *
 * @param make - what the engine is made by
 * @param mostProblems - it stops at so many
 */
export async function exploreOrders(
  { setup, script }: Scenario,
  make: Setup['make'],
  mostProblems = Infinity,
): Promise<string[]> {
  const problems = new Set<string>()
  for (const isOrdered of [true, false]) {
    const run = async (choose: Choose): Promise<void> => {
      if (problems.size >= mostProblems) return
      const explored = Explored.open({ ...setup, make, isOrdered }, 2)
      script(explored)
      await explored.run(choose)
      for (const problem of explored.problems) problems.add(problem)
    }
    for (let seed = 1; seed <= shuffles; seed += 1) await run(shuffled(seed))
    for (let at = 0, isOver = false; !isOver && problems.size < mostProblems; at += 1) {
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

export const scenarios: readonly Scenario[] = [
  {
    title: 'a lock has one holder',
    setup: { object: 'lock', size: 1 },
    script: (clients) => clients.wants(0, 'c0:1').wants(1, 'c1:1').wants(0, 'c0:2').wants(1, 'c1:2'),
  },
  {
    title: 'a lock is handed on when a session ends',
    setup: { object: 'lock', size: 1 },
    script: (clients) =>
      clients.wants(0, 'c0:1').wants(1, 'c1:1').wants(0, 'c0:2').endsSession(0).wants(1, 'c1:2'),
  },
  {
    title: 'readers share, writers do not, and a writer becomes a reader',
    setup: { object: 'read-write-lock', size: writer },
    script: (clients) =>
      clients
        .wants(0, 'c0:1')
        .wants(1, 'c1:1', writer, { lowersTo: 1 })
        .wants(0, 'c0:2')
        .wants(1, 'c1:2')
        .wants(0, 'c0:3', writer),
  },
  {
    title: 'a semaphore has as many holders as permits, and some give back in between',
    setup: { object: 'semaphore', size: 3 },
    script: (clients) =>
      clients
        .wants(0, 'c0:1', 2, { lowersTo: 1 })
        .wants(1, 'c1:1', 2)
        .wants(0, 'c0:2')
        .wants(0, 'c0:3', 2)
        .wants(1, 'c1:2', 3)
        .wants(1, 'c1:3'),
  },
  {
    title: 'all that fit get in before one of them leaves',
    setup: { object: 'semaphore', size: 4 },
    script: (clients) =>
      clients
        .wants(0, 'c0:1', 4)
        .wants(1, 'c1:1')
        .wants(0, 'c0:2', 1, { until: ['c0:4', 'c1:1'] })
        .wants(0, 'c0:3', 1, { until: ['c0:4', 'c1:1'] })
        .wants(0, 'c0:4'),
  },
  {
    title: 'all readers get in behind a writer that becomes one and stays',
    setup: { object: 'read-write-lock', size: writer },
    script: (clients) =>
      clients
        .wants(0, 'c0:1', writer, { lowersTo: 1, until: ['c0:2', 'c1:1', 'c1:2'] })
        .wants(0, 'c0:2')
        .wants(1, 'c1:1')
        .wants(1, 'c1:2'),
  },
  {
    title: 'a semaphore that shrinks and grows passes over who wants more, and lets them in later',
    setup: { object: 'semaphore', size: 3, largest: 4 },
    script: (clients) =>
      clients
        .wants(0, 'c0:1')
        .wants(1, 'c1:1', 3)
        .resizes(0, 2)
        .wants(0, 'c0:2')
        .wants(1, 'c1:2', 2)
        .resizes(1, 4)
        .wants(0, 'c0:3', 3),
  },
  {
    title: 'a resize that ends leaves who entered by it inside, and two at once do no harm',
    setup: { object: 'semaphore', size: 3, largest: 5 },
    script: (clients) =>
      clients
        .wants(1, 'c1:1', 3)
        .resizes(0, 5, 100)
        .wants(0, 'c0:1', 2)
        .wants(1, 'c1:2', 3)
        .resizes(1, 1, 100)
        .wants(0, 'c0:2')
        .passes(1_000)
        .wants(0, 'c0:3'),
  },
]
