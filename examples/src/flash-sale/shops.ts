import { forkWorker, type Worker, type WorkerMessage } from '@holdfast/testkit'
import { fileURLToPath } from 'node:url'
import { figures, type Variant } from './figures.js'
import type { SaleContext } from './run-sale.js'
import type { SiteAddress } from './site.js'
import { LocalShops } from './local-shops.js'
import { report, type OnProgress } from './progress.js'

const program = fileURLToPath(new URL('shop.js', import.meta.url))
/** For the next message of a shop, even on a slow machine. */
const messageTimeoutMs = 60_000

/** The shops of one sale. */
export interface Shops {
  /** What they are, with their number. */
  readonly what: string
  /** Has all shops sell at once. Rejects as soon as one of them fails or ends. */
  sell(variant: Variant, onProgress: OnProgress): Promise<void>
  /** Closes their connections, and ends their processes. */
  close(): Promise<void>
}

/** Opens the shops, each in a process of its own if other processes can get at the site. They end with the run, however that ends. */
export const openShops = ({ site, address, defer }: SaleContext): Promise<Shops> =>
  address === null ? Promise.resolve(new LocalShops(site)) : ShopProcesses.open(address, defer)

class ShopProcesses implements Shops {
  readonly what = `${figures.shops} shop processes`
  readonly #shops: readonly Worker[]

  private constructor(shops: readonly Worker[]) {
    this.#shops = shops
  }

  static async open(address: SiteAddress, defer: SaleContext['defer']): Promise<Shops> {
    const open = async (n: number) => {
      const starting = forkWorker(program)
      defer(async () => (await starting).kill())
      const shop = await starting
      await send(shop, { type: 'open', ...address, n })
      await receive(shop)
      return shop
    }
    return new ShopProcesses(await Promise.all(Array.from({ length: figures.shops }, (_, n) => open(n))))
  }

  async sell(variant: Variant, onProgress: OnProgress): Promise<void> {
    const totals = this.#shops.map(() => ({ served: 0, sold: 0 }))
    const follow = async (shop: Worker, n: number) => {
      await send(shop, { type: `sell ${variant}` })
      for (;;) {
        const { type, served, sold } = await receive(shop)
        if (type === 'sold') return
        totals[n] = { served: Number(served), sold: Number(sold) }
        report(totals, onProgress)
      }
    }
    await Promise.all(this.#shops.map(follow))
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#shops.map(async (shop) => {
        await send(shop, { type: 'close' })
        await shop.exited
      }),
    )
  }
}

async function send(shop: Worker, message: WorkerMessage): Promise<void> {
  try {
    await shop.send(message)
  } catch (cause) {
    // The channel breaks a moment before the exit of the process is known, and the exit is the actual cause.
    const { code, signal } = await shop.exited
    throw new Error(`The shop process (pid ${shop.pid}) ended with ${signal ?? code}`, { cause })
  }
}

async function receive(shop: Worker): Promise<WorkerMessage> {
  const message = await shop.waitFor(() => true, messageTimeoutMs)
  if (message.type !== 'failed') return message
  throw new Error(`The shop process (pid ${shop.pid}) failed: ${String(message['error'])}`)
}
