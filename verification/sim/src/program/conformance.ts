import { describeEngine, describeInProcess, type TestHook, type TestRunner } from '@holdfast/conformance'
import { documentEngine } from '@holdfast/stores/documents'
import { memory } from '@holdfast/stores/memory'
import { DocumentTable, MemoryUnderTest } from '../stores/index.js'
import { RedisUnderTest, type RedisServers } from './redis-under-test.js'
import type { EngineName } from './stores.js'

/** One scenario of the suite, with what runs before and after it. */
export interface Scenario {
  readonly title: string
  readonly run: () => Promise<void>
}

/**
 * The scenarios of the conformance suite that an engine in one process has to pass.
 *
 * @param servers - those of Redis, if that is what it runs on
 */
export function scenariosOn(engine: EngineName, servers: RedisServers): readonly Scenario[] {
  const collector = new ScenarioCollector()
  describe(engine, servers, collector.runner)
  return collector.scenarios
}

function describe(engine: EngineName, servers: RedisServers, runner: TestRunner): void {
  const isExact = true
  switch (engine) {
    case 'memory': {
      const store = memory()
      const wipe = (): void => store.failOver()
      describeInProcess(
        { name: engine, engine: store, isExact, wipe, commandCount: () => store.commands },
        runner,
      )
      return
    }
    case 'documents': {
      const table = new DocumentTable()
      const wipe = (): void => table.wipe()
      const commandCount = (): number => table.commands
      const tripsPerStep = 2
      describeInProcess(
        { name: engine, engine: documentEngine(table), isExact, tripsPerStep, wipe, commandCount },
        runner,
      )
      return
    }
    case 'sessions':
      describeEngine(new MemoryUnderTest(), runner)
      return
    case 'redis':
      describeEngine(new RedisUnderTest(servers), runner)
  }
}

/** Collects what a runner would run. */
class ScenarioCollector {
  readonly scenarios: Scenario[] = []
  readonly #path: string[] = []
  readonly #before: Parameters<TestHook>[0][] = []
  readonly #after: Parameters<TestHook>[0][] = []
  readonly runner: TestRunner = {
    describe: (title, define) => {
      this.#path.push(title)
      define()
      this.#path.pop()
    },
    it: Object.assign((title: string, run: () => Promise<void>) => this.#add(title, run), {
      skip: () => undefined,
    }),
    beforeEach: (run) => this.#before.push(run),
    afterEach: (run) => this.#after.push(run),
    before: () => undefined,
    after: () => undefined,
  }

  #add(title: string, test: () => Promise<void>): void {
    const run = async (): Promise<void> => {
      for (const prepare of this.#before) await prepare()
      try {
        await test()
      } finally {
        for (const end of this.#after) await end()
      }
    }
    this.scenarios.push({ title: [...this.#path, title].join(' › '), run })
  }
}
