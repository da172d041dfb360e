// How a forked process opens a client on Redis. The argument says where it is.
import { Holdfast } from '@holdfast/core'
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'

const libraries = { 5: { Cluster: Cluster5, Redis: Redis5 }, 6: { Cluster, Redis } }

export function open({ version, nodes, options }, clientOptions) {
  const library = libraries[version]
  const template = nodes
    ? new library.Cluster(nodes, { ...options, lazyConnect: true })
    : new library.Redis({ ...options, lazyConnect: true })
  return new Holdfast({ ...clientOptions, redis: template })
}
