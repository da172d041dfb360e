import { compareLatches } from '@holdfast/model'
import { RedisLatch } from './steps/redis-latch.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()

it('a latch in memory does what the scripts do on Redis, whatever the steps', async () => {
  const latch = await RedisLatch.open(server.url)
  // Redis extends times to live only when a hundredth of them has passed.
  await compareLatches(latch, { runs: 400, tolerance: 0.05 })
})
