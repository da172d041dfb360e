import Sequencer from '@jest/test-sequencer'

/** They wait for leases to end, try everything, or have programs compete, for minutes. */
const long =
  /conformance|model|interleavings|mutants|two-clients|schedules\.offline|flash-sale|stores\.test|chaos\.test|scenarios\.test/

/**
 * Begins with what takes longest. Jest goes by the size of a file when it has no times of an earlier run, and those that run a whole
 * suite have a few lines.
 */
export default class LongFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests)
    const isLong = ({ path }) => long.test(path)
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))]
  }
}
