import Sequencer from '@jest/test-sequencer'

/**
 * Begins with what takes longest. Jest goes by the size of a file when it has no times of an earlier run, and those that run a whole
 * suite have a few lines.
 */
export default class LongFirst extends Sequencer {
  sort(tests) {
    const [long, others] = [[], []]
    for (const test of super.sort(tests)) (/conformance/.test(test.path) ? long : others).push(test)
    return [...long, ...others]
  }
}
