import { forkWorker, type Worker, type WorkerMessage } from '@holdfast/testkit'
import { fileURLToPath } from 'node:url'
import { figures, type Variant } from './figures.js'
import type { SaleContext } from './run-sale.js'

const program = fileURLToPath(new URL('shop.js', import.meta.url))
/** For the next message of a shop, even on a slow machine. */
const messageTimeoutMs = 60_000

/** Called with the totals of all shops. */
export type OnProgress = (served: number, sold: number) => void

/** The shop processes of one sale. */
export class Shops {
  readonly #shops: readonly Worker[]

  private constructor(shops: readonly Worker[]) {
    this.#shops = shops
  }

  /** Starts the shops. They end with the run, however that ends. */
  static async open({ address, defer }: Pick<SaleContext, 'address' | 'defer'>): Promise<Shops> {
    const open = async (n: number) => {
      const starting = forkWorker(program)
      defer(async () => (await starting).kill())
      const shop = await starting
      await send(shop, { type: 'open', ...address, n })
      await receive(shop)
      return shop
    }
    return new Shops(await Promise.all(Array.from({ length: figures.shops }, (_, n) => open(n))))
  }

  /** Has all shops sell at once. Rejects as soon as one of them fails or ends. */
  async sell(variant: Variant, onProgress: OnProgress): Promise<void> {
    const totals = this.#shops.map(() => ({ served: 0, sold: 0 }))
    const follow = async (shop: Worker, n: number) => {
      await send(shop, { type: `sell ${variant}` })
      for (;;) {
        const { type, served, sold } = await receive(shop)
        totals[n] = { served: Number(served), sold: Number(sold) }
        onProgress(sum(totals.map((total) => total.served)), sum(totals.map((total) => total.sold)))
        if (type === 'sold') return
      }
    }
    await Promise.all(this.#shops.map(follow))
  }

  /** Has the shops close their connections and exit. */
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

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
