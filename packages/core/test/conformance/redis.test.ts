import { describeEngine } from '@holdfast/conformance'
import { StandAloneUnderTest } from './support/stand-alone.js'

describeEngine(new StandAloneUnderTest('Redis, ioredis 6', 'ioredis 6'))
