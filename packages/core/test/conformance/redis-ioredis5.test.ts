import { sampled } from '@holdfast/testkit'
import { describeEngine, globalRunner } from '@holdfast/conformance'
import { StandAloneUnderTest } from './support/stand-alone.js'

describeEngine(new StandAloneUnderTest('Redis, ioredis 5', 'ioredis 5'), sampled(globalRunner(), 'ioredis 5'))
