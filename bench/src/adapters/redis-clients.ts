import { nodeRedis } from '@holdfast/node-redis'
import type { HoldfastOptions } from '@holdfast/core'
import type { Contender } from '../contender.js'
import { openSession, variant } from './holdfast.js'

const over = (library: string, templateFor: (url: string) => Promise<HoldfastOptions['redis']>): Contender =>
  variant({
    library: `Holdfast over ${library}`,
    open: async (url) => openSession({ redis: await templateFor(url) }),
  })

/** Holdfast over each library that reaches Redis, of which a process loads only its own. */
export const redisClients: readonly Contender[] = [
  over('ioredis 6', (url) => Promise.resolve(url)),
  over('node-redis 6', async (url) => {
    const { createClient } = await import('redis')
    return nodeRedis(createClient({ url }))
  }),
  over('node-redis 5', async (url) => {
    const { createClient } = await import('redis5')
    return nodeRedis(createClient({ url }))
  }),
  over('iovalkey', async (url) => {
    const { Redis } = await import('iovalkey')
    return new Redis(url, { lazyConnect: true })
  }),
]
