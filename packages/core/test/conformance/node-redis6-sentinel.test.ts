import { sampled } from '@holdfast/testkit'
import { describeEngine, globalRunner } from '@holdfast/conformance'
import { SentinelUnderTest } from './support/sentinel.js'

describeEngine(
  new SentinelUnderTest('Redis Sentinel, node-redis 6', 'node-redis 6'),
  sampled(globalRunner(), 'Redis Sentinel, node-redis 6', /fail/),
)
