import { TestEnvironment } from 'jest-environment-node'

/** What the testkit throws where it finds no program for a server: `NoEtcdError` and its like. */
const withoutServer = (error) =>
  [error, error?.cause].find((each) => /^No[A-Z]\w*Error$/.test(each?.name))?.message

/** Where a server is missing, what needs it is skipped, and its title says why. */
export default class SkipsWithoutServer extends TestEnvironment {
  #hasSkipped = false

  handleTestEvent({ name, test, hook }, state) {
    if (name === 'test_done') {
      const why = test.errors.map(([error]) => withoutServer(error)).find(Boolean)
      if (why === undefined) return
      this.#hasSkipped = true
      test.name += ` (skipped: ${why.split('.')[0]})`
      test.errors = []
      test.status = 'skip'
    } else if (name === 'hook_failure' && hook.type === 'afterAll' && this.#hasSkipped) {
      // It ends what has not been started.
      state.unhandledErrors.pop()
    }
  }
}
