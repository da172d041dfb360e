import { sampled } from '@holdfast/testkit'
import { describeEngine, globalRunner } from '@holdfast/conformance'
import { ClusterUnderTest } from './support/cluster.js'

describeEngine(new ClusterUnderTest('Redis Cluster'), sampled(globalRunner(), 'Redis Cluster', /fail/))
