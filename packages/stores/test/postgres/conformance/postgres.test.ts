import { describeEngine } from '@holdfast/conformance'
import { PostgresUnderTest } from './support/postgres.js'

describeEngine(new PostgresUnderTest('unlogged'))
