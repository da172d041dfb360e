export default async () => (await import('./dist/server/shared-redis.js')).closeSharedRedis()
