import { sampled } from '@holdfast/testkit'
import { describeEngine, globalRunner } from '@holdfast/conformance'
import { ClusterUnderTest } from './support/cluster.js'

describeEngine(
  new ClusterUnderTest('Redis Cluster, node-redis 6', 'node-redis 6'),
  sampled(globalRunner(), 'Redis Cluster, node-redis 6', /fail/),
)
