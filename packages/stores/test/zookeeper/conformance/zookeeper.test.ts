import { describeEngine, globalRunner } from '@holdfast/conformance'
import { sampled } from '@holdfast/testkit'
import { ZooKeeperUnderTest } from './support/zookeeper.js'

// What is not about sessions and servers, etcd shows in full: both are stores of one engine.
const own = /session|stall|stood|kill|died|froz|freez|restart|los[te]|loss|black hole|cut off|promised/

describeEngine(new ZooKeeperUnderTest(), sampled(globalRunner(), 'ZooKeeper', own))
