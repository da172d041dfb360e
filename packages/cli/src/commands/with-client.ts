import type { ClientOptions, Holdfast } from '@holdfast/core'
import type { StoreOptions } from '../connect/store-options.js'
import { openClient, openStore, type Store } from '../connect/store.js'
import { ExitError, exitCodes } from '../exit-codes.js'
import { withinMs } from '../run/within-ms.js'

/** What is left to say to the store is not worth a long wait. */
const closeMs = 500

/** Runs `use` with a client of the store, and closes it. */
export async function withClient<T>(
  options: StoreOptions,
  clientOptions: ClientOptions,
  use: (holdfast: Holdfast, store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(options)
  const holdfast = openClient(store, clientOptions)
  try {
    return await use(holdfast, store)
  } finally {
    await withinMs(closeMs, holdfast.close())
  }
}

export const usageError = (message: string, details?: readonly string[]): ExitError =>
  new ExitError(message, exitCodes.usage, details)
