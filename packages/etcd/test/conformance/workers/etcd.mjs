import { Holdfast } from '@holdfast/core'
import { etcd } from '@holdfast/etcd'

export const open = (argument, options) => new Holdfast({ ...options, engine: etcd(argument) })
