import { forkWorker, type Worker, type WorkerMessage } from '@holdfast/testkit'
import { fileURLToPath } from 'node:url'
import type { Stage } from '../support/run-example.js'
import { figures, type Variant } from './figures.js'

const program = fileURLToPath(new URL('shop.js', import.meta.url))
/** For the next word of a shop, on the slowest of machines. */
const patienceMs = 60_000

/** Called with the totals of all shops. */
export type OnProgress = (served: number, sold: number) => void

/** The shop processes of one sale. */
export class Shops {
  readonly #shops: readonly Worker[]

  private constructor(shops: readonly Worker[]) {
    this.#shops = shops
  }

  /** Starts them. They are gone at the end of the run, however it comes. */
  static async open({ url, keyPrefix, defer }: Stage): Promise<Shops> {
    const open = async (n: number) => {
      const starting = forkWorker(program)
      defer(async () => (await starting).kill())
      const shop = await starting
      await tell(shop, { type: 'open', url, keyPrefix, n })
      await hear(shop)
      return shop
    }
    return new Shops(await Promise.all(Array.from({ length: figures.shops }, (_, n) => open(n))))
  }

  /** Lets all shops sell at once. Rejects as soon as one of them fails or is gone. */
  async sell(variant: Variant, onProgress: OnProgress): Promise<void> {
    const totals = this.#shops.map(() => ({ served: 0, sold: 0 }))
    const follow = async (shop: Worker, n: number) => {
      await tell(shop, { type: `sell ${variant}` })
      for (;;) {
        const { type, served, sold } = await hear(shop)
        totals[n] = { served: Number(served), sold: Number(sold) }
        onProgress(sum(totals.map((total) => total.served)), sum(totals.map((total) => total.sold)))
        if (type === 'sold') return
      }
    }
    await Promise.all(this.#shops.map(follow))
  }

  /** Lets them close their connections and go. */
  async close(): Promise<void> {
    await Promise.all(
      this.#shops.map(async (shop) => {
        await tell(shop, { type: 'close' })
        await shop.exited
      }),
    )
  }
}

async function tell(shop: Worker, message: WorkerMessage): Promise<void> {
  try {
    await shop.send(message)
  } catch (cause) {
    // The channel breaks a moment before the end of the process is known, and that end is the news.
    const { code, signal } = await shop.exited
    throw new Error(`The shop process (pid ${shop.pid}) ended with ${signal ?? code}`, { cause })
  }
}

async function hear(shop: Worker): Promise<WorkerMessage> {
  const message = await shop.waitFor(() => true, patienceMs)
  if (message.type !== 'failed') return message
  throw new Error(`The shop process (pid ${shop.pid}) failed: ${String(message['error'])}`)
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
