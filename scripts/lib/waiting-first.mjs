import TestRunner, { EmittingTestRunner } from 'jest-runner'

/** They wait for leases, outages and servers nearly all of the time. */
const waits = /\/conformance(\/|\.)/
/** Their programs act by the clock, several at once, and what they do late shows nothing. */
const actsByTheClock = /\/(bench|verification\/chaos)\//

/**
 * Begins with what waits, many at once, beside the few that need a machine that is not busy. All else follows those few, and keeps the
 * processors busy.
 */
export default class WaitingFirst extends EmittingTestRunner {
  #runners

  constructor(globalConfig, context) {
    super(globalConfig, context)
    const runner = (maxWorkers) => new TestRunner({ ...globalConfig, maxWorkers }, context)
    const { maxWorkers } = globalConfig
    this.#runners = {
      waiting: runner(maxWorkers + 1),
      byTheClock: runner(Math.ceil(maxWorkers / 2)),
      rest: runner(maxWorkers),
    }
  }

  async runTests(tests, watcher, options) {
    const { waiting, byTheClock, rest } = this.#runners
    const kindOf = ({ path }) => (waits.test(path) ? waiting : actsByTheClock.test(path) ? byTheClock : rest)
    const run = async (runner) => {
      const own = tests.filter((test) => kindOf(test) === runner)
      if (own.length > 0) await runner.runTests(own, watcher, options)
    }
    if (options.serial) {
      for (const runner of [waiting, byTheClock, rest]) await run(runner)
      return
    }
    const others = async () => {
      await run(byTheClock)
      await run(rest)
    }
    await Promise.all([run(waiting), others()])
  }

  on(eventName, listener) {
    const unsubscribes = Object.values(this.#runners).map((runner) => runner.on(eventName, listener))
    return () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
    }
  }
}
