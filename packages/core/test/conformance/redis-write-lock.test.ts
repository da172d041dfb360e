import { describeWriteLock } from '@holdfast/conformance'
import { StandAloneUnderTest } from './support/stand-alone.js'

describeWriteLock(new StandAloneUnderTest('Redis, ioredis 6', 'ioredis 6'))
