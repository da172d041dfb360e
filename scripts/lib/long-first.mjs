import Sequencer from '@jest/test-sequencer'

/**
 * Promises are slower in a worker where other files have left an `AsyncLocalStorage`, and a simulation is made of promises. A worker each
 * takes one of these first; so does the longest of all, which waits.
 */
const first = /verification\/sim\/|core\/test\/conformance\/redis\.test/

/** They wait for leases to end, try everything, or have programs compete, for minutes. */
const long =
  /conformance|model|mutants|two-clients|schedules\.offline|flash-sale|stores\.test|chaos\.test|scenarios\.test/

/**
 * Begins with what takes longest. Jest goes by the size of a file when it has no times of an earlier run, and those that run a whole
 * suite have a few lines.
 */
export default class LongFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests)
    const rank = ({ path }) => (first.test(path) ? 0 : long.test(path) ? 1 : 2)
    return sorted.sort((one, other) => rank(one) - rank(other))
  }
}
