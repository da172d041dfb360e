import TestRunner, { EmittingTestRunner } from 'jest-runner'

/** Their programs act by the clock, several at once, and what they do late shows nothing. */
const actsByTheClock = /\/verification\/chaos\//
/** They wait for leases, outages and servers nearly all of the time. */
const waits = /\/conformance(\/|\.)/

/** Begins with what needs an idle machine, before what keeps the processors busy. What waits has workers of its own, beside both. */
export default class ByTheClockFirst extends EmittingTestRunner {
  #runners

  constructor(globalConfig, context) {
    super(globalConfig, context)
    const runner = (maxWorkers) => new TestRunner({ ...globalConfig, maxWorkers }, context)
    const { maxWorkers } = globalConfig
    this.#runners = {
      byTheClock: runner(Math.ceil(maxWorkers / 2)),
      waiting: runner(maxWorkers),
      rest: runner(Math.ceil(maxWorkers * 1.5)),
    }
  }

  async runTests(tests, watcher, options) {
    const { byTheClock, waiting, rest } = this.#runners
    const kindOf = ({ path }) => (actsByTheClock.test(path) ? byTheClock : waits.test(path) ? waiting : rest)
    const run = async (runner) => {
      const own = tests.filter((test) => kindOf(test) === runner)
      if (own.length > 0) await runner.runTests(own, watcher, options)
    }
    const runOneByOne = async (...runners) => {
      for (const runner of runners) await run(runner)
    }
    if (options.serial) await runOneByOne(byTheClock, waiting, rest)
    else await Promise.all([run(waiting), runOneByOne(byTheClock, rest)])
  }

  on(eventName, listener) {
    const unsubscribes = Object.values(this.#runners).map((runner) => runner.on(eventName, listener))
    return () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
    }
  }
}
