import TestRunner, { EmittingTestRunner } from 'jest-runner'

/** Their programs act by the clock, several at once, and what they do late shows nothing. */
const byTheClock = /\/(bench|verification\/chaos)\//

/**
 * Runs what is sensitive to a busy machine after all else, with half of the workers. Most other tests wait for leases, outages and
 * servers for most of the time, so that many of them leave each other alone.
 */
export default class CalmLast extends EmittingTestRunner {
  #all
  #few

  constructor(globalConfig, context) {
    super(globalConfig, context)
    this.#all = new TestRunner(globalConfig, context)
    this.#few = new TestRunner(
      { ...globalConfig, maxWorkers: Math.ceil(globalConfig.maxWorkers / 2) },
      context,
    )
  }

  async runTests(tests, watcher, options) {
    const isCalm = ({ path }) => byTheClock.test(path)
    const phases = [
      [this.#all, tests.filter((test) => !isCalm(test))],
      [this.#few, tests.filter(isCalm)],
    ]
    for (const [runner, phase] of phases) if (phase.length > 0) await runner.runTests(phase, watcher, options)
  }

  on(eventName, listener) {
    const unsubscribes = [this.#all, this.#few].map((runner) => runner.on(eventName, listener))
    return () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
    }
  }
}
