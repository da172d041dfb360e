// How a forked process opens a client on ZooKeeper. The argument says where it is.
import { Holdfast } from '@holdfast/core'
import { zookeeper } from '@holdfast/stores/zookeeper'

export function open(options, clientOptions) {
  return new Holdfast({ ...clientOptions, engine: zookeeper(options) })
}
