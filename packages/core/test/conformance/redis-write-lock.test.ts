import { describeWriteLock, globalRunner } from '@holdfast/conformance'
import { sampled } from '@holdfast/testkit'
import { StandAloneUnderTest } from './support/stand-alone.js'

describeWriteLock(
  new StandAloneUnderTest('Redis, ioredis 6', 'ioredis 6'),
  sampled(globalRunner(), 'write lock'),
)
