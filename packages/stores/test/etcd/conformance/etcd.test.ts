import { describeEngine } from '@holdfast/conformance'
import { EtcdUnderTest } from './support/etcd.js'

describeEngine(new EtcdUnderTest(1))
