import { describeEngine } from '@holdfast/conformance'
import { MemoryUnderTest } from './support/memory-under-test.js'

describeEngine(new MemoryUnderTest())
