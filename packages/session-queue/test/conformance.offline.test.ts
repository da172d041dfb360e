import { describeEngine } from '@holdfast/conformance'
import { MemoryUnderTest } from '@holdfast/sim/stores'

describeEngine(new MemoryUnderTest())
