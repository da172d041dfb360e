export { closeSharedRedis as default } from './server/shared-redis.js'
