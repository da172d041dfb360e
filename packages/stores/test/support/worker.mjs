// How a forked process opens a client: on the store of that name, with the options of its engine.
import { Holdfast } from '@holdfast/core'

export async function open([store, options], clientOptions) {
  const { [store]: engineOf } = await import(`@holdfast/stores/${store}`)
  return new Holdfast({ ...clientOptions, engine: engineOf(options) })
}
