import { describeEngine } from '@holdfast/conformance'
import { ZooKeeperUnderTest } from './support/zookeeper.js'

describeEngine(new ZooKeeperUnderTest())
