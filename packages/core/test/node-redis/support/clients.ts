import { Holdfast, type HoldfastOptions, type OpenedRedis, type RedisClient } from '../../../src/index.js'
import { startProxy, watchResources, type FaultProxy } from '@holdfast/testkit'

type Options = Omit<HoldfastOptions, 'redis'>

/** Ends what each test opens, and asserts that no socket and no timer is left. */
export function useClients() {
  let closing: (() => unknown)[] = []
  let watch: ReturnType<typeof watchResources> | undefined

  beforeEach(() => {
    watch = watchResources({ except: /LocalRedis\.launch|^at new Promise \(<anonymous>\)$/ })
  })

  afterEach(async () => {
    const ends = closing.reverse()
    closing = []
    for (const end of ends) await end()
    await watch?.expectNone(3_000)
  })

  const closeAfterTest = (end: () => unknown): void => void closing.push(end)

  return {
    closeAfterTest,
    open(redis: RedisClient, options: Options = {}): Holdfast {
      const holdfast = new Holdfast({ ...options, redis })
      closeAfterTest(() => holdfast.close())
      return holdfast
    },
    /** Connections without a lock, as Holdfast opens them. */
    connect(redis: RedisClient, connectTimeoutMs = 1_000): OpenedRedis {
      const opened = redis.open({ name: 'holdfast:test', connectTimeoutMs, reconnectAfterMs: () => 50 })
      opened.commands.on('error', () => undefined)
      closeAfterTest(() => opened.commands.disconnect())
      return opened
    },
    async proxy(server: { readonly host: string; readonly port: number }): Promise<FaultProxy> {
      const proxy = await startProxy(server)
      closeAfterTest(() => proxy.close())
      return proxy
    },
  }
}
