import { Holdfast } from '@holdfast/core'
import { memcached } from '@holdfast/stores/memcached'

export const open = (argument, options) => new Holdfast({ ...options, engine: memcached(argument) })
