// How a forked process opens a client on PostgreSQL. The argument says where it is.
import { Holdfast } from '@holdfast/core'
import { postgres } from '@holdfast/stores/postgres'

export function open(options, clientOptions) {
  return new Holdfast({ ...clientOptions, engine: postgres(options) })
}
