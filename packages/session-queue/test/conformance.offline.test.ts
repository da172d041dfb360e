import { describeEngine, globalRunner } from '@holdfast/conformance'
import { MemoryUnderTest } from '@holdfast/sim/stores'
import { sampled } from '@holdfast/testkit'

// All of it in virtual time: verification/sim.
describeEngine(new MemoryUnderTest(), sampled(globalRunner(), 'session queues in real time'))
