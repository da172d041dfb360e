// How do I sell exactly N vouchers, one per user, from several processes?
import { payMs } from './flash-sale/buy.js'
import { figures, requests, variants, type Variant } from './flash-sale/figures.js'
import { Progress } from './flash-sale/progress.js'
import { runSale, type SaleContext } from './flash-sale/run-sale.js'
import { readBooks, type Books } from './flash-sale/sale.js'
import { openShops, type Shops } from './flash-sale/shops.js'
import { formatTable } from './flash-sale/table.js'

const { vouchers, users, clicksPerUser } = figures

interface Result extends Books {
  readonly variant: Variant
  readonly tookMs: number
}

await runSale(async (context) => {
  console.log(`${vouchers} vouchers, one per user. ${users} users click ${clicksPerUser} times each.`)
  const shops = await openShops(context)
  console.log(`${shops.what} serve ${figures.requestsAtOnce} requests at a time each.\n`)
  const results: Result[] = []
  for (const variant of variants) results.push(await holdSale(variant, shops, context))
  await shops.close()
  console.log(`\n${resultTable(results)}\n`)
  judge(results)
  for (const { variant, tookMs } of results) if (variant === 'holdfast') explainTime(tookMs)
})

async function holdSale(variant: Variant, shops: Shops, { site }: SaleContext): Promise<Result> {
  await site.openSale(variant, vouchers)
  const progress = new Progress(variant.padEnd(8), requests)
  const startedAt = performance.now()
  await shops.sell(variant, (served, sold) => progress.show(served, `${sold} of ${vouchers} vouchers sold`))
  const tookMs = performance.now() - startedAt
  progress.end()
  return { variant, tookMs, ...(await readBooks(site, variant, vouchers)) }
}

function resultTable(results: readonly Result[]): string {
  const head = ['variant', 'vouchers', 'requests', 'sold', 'oversold', 'users with > 1', 'time', 'requests/s']
  return formatTable(
    head,
    results.map(({ variant, sold, oversold, usersWithSeveral, tookMs }) => [
      ...[variant, vouchers, requests, sold, oversold, usersWithSeveral],
      ...[`${(tookMs / 1000).toFixed(2)} s`, Math.round((1000 * requests) / tookMs)],
    ]),
  )
}

/** The run counts as failed unless the locked variant kept both promises. */
function judge(results: readonly Result[]): void {
  for (const { variant, sold, oversold, usersWithSeveral } of results) {
    const kept = sold === vouchers && usersWithSeveral === 0
    if (variant === 'naive') {
      const failed = `Check-then-write sold ${oversold} too many and served ${usersWithSeveral} users more than once.`
      console.log(kept ? 'Check-then-write was lucky this time: it still has the race.' : failed)
    } else if (kept) {
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
What the times mean: all ${requests} requests want the same lock, so they queue and run one after another, in ${each} ms
each on average; the ${vouchers} that buy spend ${payMs} ms of theirs on the payment. That is the price of one shared stock,
not of a lock: locks of different names do not wait for each other.`)
}
