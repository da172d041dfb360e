import { describeEngine, globalRunner } from '@holdfast/conformance'
import { onPath, sampled } from '@holdfast/testkit'
import { StandAloneUnderTest } from './support/stand-alone.js'

const [program] = onPath('valkey-server')

// Valkey is optional: most machines have only redis-server, on which the same suite runs in another file.
if (program === undefined)
  it.skip('conformance of Valkey: there is no valkey-server on PATH', () => undefined)
else
  describeEngine(
    new StandAloneUnderTest('Valkey, ioredis 6', 'ioredis 6', program),
    sampled(globalRunner(), 'Valkey'),
  )
