import Sequencer from '@jest/test-sequencer'

/** They wait for leases to end, for minutes. */
const waiting = /conformance/
/** They try everything, or have programs compete, and keep a processor busy for as long. */
const busy = /model|mutants|variants|flash-sale|stores\.test/

/**
 * Begins with what takes longest, those that wait beside those that do not. Jest goes by the size of a file when it has no times of an
 * earlier run, and those that run a whole suite have a few lines.
 */
export default class LongFirst extends Sequencer {
  sort(tests) {
    const [waiters, workers, others] = [[], [], []]
    for (const test of super.sort(tests)) {
      const kind = waiting.test(test.path) ? waiters : busy.test(test.path) ? workers : others
      kind.push(test)
    }
    const long = Array.from({ length: Math.max(waiters.length, workers.length) }, (_, n) =>
      [waiters[n], workers[n]].filter((test) => test !== undefined),
    )
    return [...long.flat(), ...others]
  }
}
