import { describeEngine, describeWriteLock } from '@holdfast/conformance'
import { StandAloneUnderTest } from './support/stand-alone.js'

const engine = new StandAloneUnderTest('Redis, ioredis 6', 6)
describeEngine(engine)
describeWriteLock(engine)
