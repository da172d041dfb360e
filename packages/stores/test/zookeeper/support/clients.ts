import { Holdfast, type ClientOptions } from '@holdfast/core'
import { startProxy, zooKeeperTickMs, type FaultProxy } from '@holdfast/testkit'
import { zookeeper, type ZooKeeperOptions } from '@holdfast/stores/zookeeper'

/** Opens clients, and closes them all after each test. */
export class Clients {
  readonly #open: Holdfast[] = []
  readonly #proxies: FaultProxy[] = []

  open(connect: string, options: ClientOptions = {}, more: Partial<ZooKeeperOptions> = {}): Holdfast {
    const engine = zookeeper({ connect, tickMs: zooKeeperTickMs, ...more })
    const holdfast = new Holdfast({ ...options, engine })
    this.#open.push(holdfast)
    return holdfast
  }

  /** One whose connections can be broken. */
  async openLinked(
    server: { readonly host: string; readonly port: number },
    options: ClientOptions = {},
    more: Partial<ZooKeeperOptions> = {},
  ): Promise<{ readonly holdfast: Holdfast; readonly proxy: FaultProxy }> {
    const proxy = await startProxy(server, 'zookeeper')
    this.#proxies.push(proxy)
    return { holdfast: this.open(`${proxy.host}:${proxy.port}`, options, more), proxy }
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((holdfast) => holdfast.close()))
    await Promise.all(this.#proxies.splice(0).map((proxy) => proxy.close()))
  }
}

/** What the promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome) return outcome.error
  throw new Error(`expected a rejection, got ${String(outcome.value)}`)
}

/** Keeps this process from doing anything else, and leaves the processor to others. */
export function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Resolves with the instant at which it aborts. */
export const whenAborted = (signal: AbortSignal): Promise<number> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(performance.now()), { once: true })
    if (signal.aborted) resolve(performance.now())
  })
