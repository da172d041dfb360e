import type { ClientOptions, Holdfast } from '@holdfast/core'
import type { StoreOptions } from '../connect/store-options.js'
import { openStore } from '../connect/store.js'
import { clientOf } from './store-under-test.js'

/** Opens a client in a process that a scenario kills or freezes. Where the store is says the environment: arguments are visible to others. */
export async function open(storeOptions: StoreOptions, options: ClientOptions): Promise<Holdfast> {
  return clientOf(await openStore(storeOptions), options)
}
