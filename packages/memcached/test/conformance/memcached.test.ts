import { describeEngine } from '@holdfast/conformance'
import { MemcachedUnderTest } from './support/memcached.js'

describeEngine(new MemcachedUnderTest())
