import core = require('@holdfast/core')
import pubsub = require('@holdfast/pubsub')
import watchdog = require('@holdfast/watchdog')
import ioredis = require('ioredis')

const redis = new ioredis.Redis({ lazyConnect: true })
for (const [name, exported] of Object.entries({ core, pubsub, watchdog })) {
  console.log(`require  @holdfast/${name}: ${Object.keys(exported).join(', ') || 'no values'}`)
}
redis.disconnect()
