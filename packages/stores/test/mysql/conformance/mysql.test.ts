import { describeEngine } from '@holdfast/conformance'
import { MysqlUnderTest } from './support/mysql.js'

describeEngine(new MysqlUnderTest())
