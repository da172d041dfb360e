import { sampled } from '@holdfast/testkit'
import { describeEngine, globalRunner } from '@holdfast/conformance'
import { PostgresUnderTest } from './support/postgres.js'

describeEngine(new PostgresUnderTest('logged'), sampled(globalRunner(), 'logged tables', /restart|crash/))
