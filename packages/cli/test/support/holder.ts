import type { EngineHoldfastOptions, HoldfastOptions } from '@holdfast/core'
import { Holdfast } from '@holdfast/core'

const opened: Holdfast[] = []

afterEach(async () => {
  for (const holdfast of opened.splice(0)) await holdfast.close()
})

/** A client that holds and waits for the command line to see. Closed after the test. */
export function openHolder(options: HoldfastOptions | EngineHoldfastOptions): Holdfast {
  const holdfast = new Holdfast(options)
  opened.push(holdfast)
  return holdfast
}
