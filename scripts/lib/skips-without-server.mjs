import { TestEnvironment } from 'jest-environment-node'

/** What the testkit throws where it finds no program for a server, here or in a process that a test started. */
const withoutServer = (error) => /\bNo\w+Error: (No [^.\n]+ found)/.exec(String(error))?.[1]

/** Where a server is missing, what needs it is skipped, and its title says why. */
export default class SkipsWithoutServer extends TestEnvironment {
  #hasSkipped = false

  handleTestEvent({ name, test, hook }, state) {
    if (name === 'test_done') {
      const why = test.errors.flat().map(withoutServer).find(Boolean)
      if (why === undefined) return
      this.#hasSkipped = true
      test.name += ` (skipped: ${why})`
      test.errors = []
      test.status = 'skip'
    } else if (name === 'hook_failure' && hook.type === 'afterAll' && this.#hasSkipped) {
      // It ends what has not been started.
      state.unhandledErrors.pop()
    }
  }
}
