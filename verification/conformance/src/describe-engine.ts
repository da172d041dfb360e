import type { EngineUnderTest } from './engine-under-test.js'
import { aroundAll, globalRunner, type TestRunner } from './runner.js'
import { describeClosing } from './scenarios/always/closing.js'
import { describeExclusion } from './scenarios/always/exclusion.js'
import { describeHandOver } from './scenarios/always/hand-over.js'
import { describeLeases } from './scenarios/always/leases.js'
import { describeLoss } from './scenarios/always/loss.js'
import { describeLostReplies } from './scenarios/always/lost-replies.js'
import { describeNames } from './scenarios/always/names.js'
import { describeReentry } from './scenarios/always/reentry.js'
import { describeResults } from './scenarios/always/results.js'
import { describeScopes } from './scenarios/always/scopes.js'
import { describeSteps } from './scenarios/always/steps.js'
import { describeUnreachable } from './scenarios/always/unreachable.js'
import { describeWaiting } from './scenarios/always/waiting.js'
import { describeFencing } from './scenarios/fencing.js'
import { describeFifo } from './scenarios/fifo.js'
import { describeForce } from './scenarios/force.js'
import { describeForgedNotices } from './scenarios/forged-notices.js'
import { describeHandOff } from './scenarios/hand-off.js'
import { describeLatch } from './scenarios/latch.js'
import { describeLatchSteps } from './scenarios/latch-steps.js'
import { describeLeaseTrait } from './scenarios/lease.js'
import { describeOperations } from './scenarios/operations.js'
import { describeOperator } from './scenarios/operator.js'
import { describeShared } from './scenarios/shared.js'
import { describeSurvives } from './scenarios/survives.js'
import { Suite } from './support/suite.js'

/** In the order of the table. */
export const everyPart = [
  describeExclusion,
  describeReentry,
  describeScopes,
  describeResults,
  describeNames,
  describeWaiting,
  describeLeases,
  describeLoss,
  describeLostReplies,
  describeUnreachable,
  describeClosing,
  describeSteps,
  describeHandOver,
  describeFifo,
  describeHandOff,
  describeForgedNotices,
  describeLeaseTrait,
  describeFencing,
  describeSurvives,
  describeForce,
  describeOperations,
  describeShared,
  describeLatch,
  describeLatchSteps,
  describeOperator,
]

/** Those that are about a lock as a caller sees it, whatever it is at the store. */
const partsOfAnyLock = [
  describeExclusion,
  describeReentry,
  describeScopes,
  describeWaiting,
  describeLeases,
  describeLoss,
  describeLostReplies,
  describeFifo,
  describeHandOff,
  describeForce,
]

/**
 * Defines the tests of one engine, one for each scenario. Call it at the top level of a test file. Give each test 30 seconds
 * (`testTimeout`).
 *
 * @param runner - what defines tests. By default the globals of Jest, or of Vitest with `globals: true`
 */
export function describeEngine(engine: EngineUnderTest, runner = globalRunner()): void {
  defineTests(`conformance of ${engine.name}`, new Suite(engine, runner), everyPart, runner)
}

/**
 * Defines the tests of one engine's write lock, which is a lock too: whatever a caller may rely on with the one holds for
 * the other. Call it as `describeEngine`, for an engine that carries `shared` objects.
 */
export function describeWriteLock(engine: EngineUnderTest, runner = globalRunner()): void {
  const suite = new Suite(engine, runner, 'write-lock')
  defineTests(`conformance of the write lock of ${engine.name}`, suite, partsOfAnyLock, runner)
}

function defineTests(
  title: string,
  suite: Suite,
  describeParts: readonly ((suite: Suite) => void)[],
  runner: TestRunner,
): void {
  const { engine } = suite
  runner.describe(title, () => {
    aroundAll(
      runner,
      () => engine.start(),
      () => engine.stop(),
    )
    runner.beforeEach(() => {
      suite.begin()
      return Promise.resolve()
    })
    runner.afterEach(() => suite.end())
    for (const describePart of describeParts) describePart(suite)
  })
}
