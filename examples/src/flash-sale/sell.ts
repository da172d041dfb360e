import type { Holdfast } from '@holdfast/core'
import { buy, buyLocked } from './buy.js'
import { figures, type Variant } from './figures.js'
import type { Site } from './site.js'

/** Called with the totals of one shop. */
export type OnServed = (served: number, sold: number) => unknown

/** Serves the users of one shop; the last report is of all of them. */
export async function sell(
  variant: Variant,
  users: readonly string[],
  site: Site,
  holdfast: Holdfast,
  onServed: OnServed,
): Promise<void> {
  const lock = holdfast.getLock(`sale:${variant}`)
  const request = {
    naive: (user: string) => buy(site, variant, user),
    holdfast: (user: string) => buyLocked(lock, site, variant, user),
  }[variant]

  // All lanes share one iterator: the next free one serves the next user.
  const queue = users.values()
  let served = 0
  let sold = 0
  const lane = async () => {
    for (const user of queue) {
      if (await request(user)) sold += 1
      served += 1
      if (served % 5 === 0) await onServed(served, sold)
    }
  }
  await Promise.all(Array.from({ length: figures.requestsAtOnce }, lane))
  await onServed(served, sold)
}
