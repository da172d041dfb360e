import { sampled } from '@holdfast/testkit'
import { describeEngine, globalRunner } from '@holdfast/conformance'
import { StandAloneUnderTest } from './support/stand-alone.js'

describeEngine(
  new StandAloneUnderTest('Redis, iovalkey', 'iovalkey'),
  sampled(globalRunner(), 'Redis, iovalkey'),
)
