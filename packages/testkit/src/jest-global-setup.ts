export { openSharedRedis as default } from './server/shared-redis.js'
