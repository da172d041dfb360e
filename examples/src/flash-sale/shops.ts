import { forkWorker, type Worker, type WorkerMessage } from '@holdfast/testkit'
import { fileURLToPath } from 'node:url'
import type { ExampleContext } from '../support/run-example.js'
import { figures, type Variant } from './figures.js'

const program = fileURLToPath(new URL('shop.js', import.meta.url))
/** For the next message of a shop, even on a slow machine. */
const messageTimeoutMs = 60_000

/** The shop processes of one sale. */
export interface Shops {
  /** Has all shops sell at once. Rejects as soon as one of them fails or ends. */
  sell(variant: Variant): Promise<void>
  /** Closes their connections, and ends their processes. */
  close(): Promise<void>
}

/** Opens the shops. They end with the run, however that ends. */
export async function openShops(
  url: string,
  keyPrefix: string,
  defer: ExampleContext['defer'],
): Promise<Shops> {
  const open = async (_: unknown, n: number): Promise<Worker> => {
    const starting = forkWorker(program)
    defer(async () => (await starting).kill())
    const shop = await starting
    await send(shop, { type: 'open', url, keyPrefix, n })
    await receive(shop)
    return shop
  }
  const shops = await Promise.all(Array.from({ length: figures.shops }, open))
  const all = (use: (shop: Worker) => Promise<unknown>): Promise<unknown> => Promise.all(shops.map(use))
  return {
    async sell(variant) {
      await all((shop) => send(shop, { type: `sell ${variant}` }))
      if (variant === 'naive') {
        await all(receive)
        await all((shop) => send(shop, { type: 'paid' }))
      }
      await all(receive)
    },
    async close() {
      await all(async (shop) => {
        await send(shop, { type: 'close' })
        await shop.exited
      })
    },
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

async function receive(shop: Worker): Promise<void> {
  const message = await shop.waitFor(() => true, messageTimeoutMs)
  if (message.type !== 'failed') return
  throw new Error(`The shop process (pid ${shop.pid}) failed: ${String(message['error'])}`)
}
