/** Defines a test, or one that is skipped. */
export type DefineTest = (title: string, run: () => Promise<void>) => unknown

/** Has something run beside tests. */
export type TestHook = (run: () => Promise<void>) => unknown

/** The same, where it has a time limit of its own unless it is given one. */
export type LimitedTestHook = (run: () => Promise<void>, timeoutMs: number) => unknown

/** What test runners have in common. */
export interface TestFunctions {
  /** Defines a block of tests. */
  readonly describe: (title: string, define: () => void) => unknown
  /** Defines a test; `skip` defines one that does not run. */
  readonly it: DefineTest & { readonly skip: DefineTest }
  /** Runs before each test of the block. */
  readonly beforeEach: TestHook
  /** Runs after each test of the block. */
  readonly afterEach: TestHook
}

/**
 * What defines tests: all that `vitest`, `node:test` or the globals package of Jest export, or an object with these functions.
 */
export type TestRunner = TestFunctions &
  (
    | { readonly beforeAll: LimitedTestHook; readonly afterAll: LimitedTestHook }
    | { readonly before: TestHook; readonly after: TestHook }
  )

/** The runner whose functions are globals, as those of Jest are, and of Vitest with `globals: true`. */
export function globalRunner(): TestRunner {
  if (!('describe' in globalThis))
    throw new Error(
      "no test runner: its functions are not globals here, so pass it, as in describeEngine(engine, runner) after import * as runner from 'node:test'",
    )
  return { describe, it, beforeEach, afterEach, beforeAll, afterAll }
}

/** Starting a store may take longer than a test. */
const storeMs = 60_000

/** Starts the store before all tests of the block, and stops it after them. */
export function aroundAll(runner: TestRunner, start: () => Promise<void>, stop: () => Promise<void>): void {
  if ('beforeAll' in runner) {
    runner.beforeAll(start, storeMs)
    runner.afterAll(stop, storeMs)
  } else {
    runner.before(start)
    runner.after(stop)
  }
}
