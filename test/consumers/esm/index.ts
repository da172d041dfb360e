import * as core from '@holdfast/core'
import * as pubsub from '@holdfast/pubsub'
import * as watchdog from '@holdfast/watchdog'
import { Redis } from 'ioredis'

const redis = new Redis({ lazyConnect: true })
for (const [name, exported] of Object.entries({ core, pubsub, watchdog })) {
  console.log(`import  @holdfast/${name}: ${Object.keys(exported).join(', ') || 'no values'}`)
}
redis.disconnect()
