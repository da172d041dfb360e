import { Holdfast } from '@holdfast/core'
import { etcd } from '@holdfast/stores/etcd'

export const open = (argument, options) => new Holdfast({ ...options, engine: etcd(argument) })
