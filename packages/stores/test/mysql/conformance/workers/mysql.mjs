// How a forked process opens a client on MySQL. The argument says where it is.
import { Holdfast } from '@holdfast/core'
import { mysql } from '@holdfast/stores/mysql'

export function open(options, clientOptions) {
  return new Holdfast({ ...clientOptions, engine: mysql(options) })
}
