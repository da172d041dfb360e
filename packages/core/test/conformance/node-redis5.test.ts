import { sampled } from '@holdfast/testkit'
import { describeEngine, globalRunner } from '@holdfast/conformance'
import { StandAloneUnderTest } from './support/stand-alone.js'

describeEngine(
  new StandAloneUnderTest('Redis, node-redis 5', 'node-redis 5'),
  sampled(globalRunner(), 'Redis, node-redis 5'),
)
