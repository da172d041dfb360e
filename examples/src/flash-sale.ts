// How do I sell exactly N vouchers, one per user, from several processes?
import { payMs } from './flash-sale/buy.js'
import { figures, requests, variants, type Variant } from './flash-sale/figures.js'
import { openShops } from './flash-sale/shops.js'
import { Site, type Books } from './flash-sale/site.js'
import { formatTable } from './flash-sale/table.js'
import { runExample } from './support/run-example.js'

const { vouchers, users, clicksPerUser, shops: shopCount, requestsAtOnce } = figures

interface Result extends Books {
  readonly variant: Variant
  readonly tookMs: number
}

await runExample('flash-sale', async ({ redis, url, keyPrefix, defer }) => {
  console.log(`${vouchers} vouchers, one per user. ${users} users click ${clicksPerUser} times each.`)
  console.log(`${shopCount} shop processes serve ${requestsAtOnce} requests at a time each.\n`)
  const site = new Site(redis)
  const shops = await openShops(url, keyPrefix, defer)
  const results: Result[] = []
  for (const variant of variants) {
    console.log(`${variant}: ${requests} requests …`)
    await site.openSale(variant, vouchers)
    const startedAt = performance.now()
    await shops.sell(variant)
    const tookMs = performance.now() - startedAt
    results.push({ variant, tookMs, ...(await site.readBooks(variant, vouchers)) })
  }
  await shops.close()
  console.log(`\n${resultTable(results)}\n`)
  judge(results)
  for (const { variant, tookMs } of results) if (variant === 'holdfast') explainTime(tookMs)
})

function resultTable(results: readonly Result[]): string {
  const head = ['variant', 'vouchers', 'requests', 'sold', 'oversold', 'users with > 1', 'time']
  return formatTable(
    head,
    results.map(({ variant, sold, oversold, usersWithSeveral, tookMs }) => [
      ...[variant, vouchers, requests, sold, oversold, usersWithSeveral],
      `${(tookMs / 1000).toFixed(2)} s`,
    ]),
  )
}

/** The run counts as failed unless the locked variant kept both promises. */
function judge(results: readonly Result[]): void {
  for (const { variant, sold, oversold, usersWithSeveral } of results) {
    if (variant === 'naive') {
      console.log(
        `Check-then-write sold ${oversold} too many and served ${usersWithSeveral} users more than once.`,
      )
    } else if (sold === vouchers && usersWithSeveral === 0) {
      console.log(`The same code inside the lock sold exactly ${sold}, one per user.`)
    } else {
      console.log(`THE LOCK FAILED: sold ${sold} of ${vouchers}, ${usersWithSeveral} users have several.`)
      process.exitCode = 1
    }
  }
}

/** A reader would take the times for what a lock costs. */
function explainTime(tookMs: number): void {
  const each = (tookMs / requests).toFixed(1)
  console.log(`
What the time means: all ${requests} requests want the same lock, so they queue and run one after another, in ${each} ms
each on average; the ${vouchers} that buy spend ${payMs} ms of theirs on the payment. That is the price of one shared stock,
not of a lock: locks of different names do not wait for each other.`)
}
