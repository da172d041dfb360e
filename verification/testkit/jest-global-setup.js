/** Loads what is built only when it runs: Jest looks for this file even when no test of the project does. */
export default async () => (await import('./dist/server/shared-redis.js')).openSharedRedis()
