import { describeEngine, globalRunner } from '@holdfast/conformance'
import { sampled } from '@holdfast/testkit'
import { EtcdUnderTest } from './support/etcd.js'

describeEngine(
  new EtcdUnderTest(3),
  sampled(globalRunner(), 'etcd, three servers', /failover|restart|black hole|cut off/),
)
