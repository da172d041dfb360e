import { describeEngine, globalRunner } from '@holdfast/conformance'
import { sampled } from '@holdfast/testkit'
import { MemcachedUnderTest } from './support/memcached.js'

// What is not about lost data and slow seconds, MySQL shows in full: both are stores of one engine.
const own = /kill|died|froz|freez|restart|los[te]|loss|expire|black hole|cut off|promised/

describeEngine(new MemcachedUnderTest(), sampled(globalRunner(), 'memcached', own))
