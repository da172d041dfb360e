export { describeEngine, describeWriteLock } from './describe-engine.js'
export { globalRunner } from './runner.js'
export type {
  EngineUnderTest,
  Hook,
  Link,
  LinkDirection,
  LinkedClient,
  OtherProcess,
} from './engine-under-test.js'
export { describeInProcess, type InProcessStore } from './in-process/describe-in-process.js'
export type { DefineTest, LimitedTestHook, TestFunctions, TestHook, TestRunner } from './runner.js'
export { quietHost } from './support/quiet-host.js'
export { RemoteClient } from './support/remote-client.js'
export { InProcessLink, type Network } from './in-process/in-process-link.js'
export { linkedEngine, type LinkedEngine } from './in-process/linked-engine.js'
export { verifyEngine, type Outcome, type Verdict, type VerifyOptions } from './verify/verify-engine.js'
