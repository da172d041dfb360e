import { sampled } from '@holdfast/testkit'
import { describeEngine, globalRunner } from '@holdfast/conformance'
import { SentinelUnderTest } from './support/sentinel.js'

describeEngine(new SentinelUnderTest('Redis Sentinel'), sampled(globalRunner(), 'Redis Sentinel', /fail/))
