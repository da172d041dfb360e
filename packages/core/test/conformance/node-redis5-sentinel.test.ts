import { sampled } from '@holdfast/testkit'
import { describeEngine, globalRunner } from '@holdfast/conformance'
import { SentinelUnderTest } from './support/sentinel.js'

describeEngine(
  new SentinelUnderTest('Redis Sentinel, node-redis 5', 'node-redis 5'),
  sampled(globalRunner(), 'Redis Sentinel, node-redis 5', /fail/),
)
