export { describeEngine, describeWriteLock } from './describe-engine.js'
export type {
  EngineUnderTest,
  Hook,
  Link,
  LinkDirection,
  LinkedClient,
  OtherProcess,
} from './engine-under-test.js'
