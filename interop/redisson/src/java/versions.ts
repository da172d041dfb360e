/** Redisson's versions that the interop is proved against: the newest, and the oldest that is supported. */
export const redissonVersions = { newest: '4.7.0', oldest: '3.24.3' } as const

export type RedissonVersion = (typeof redissonVersions)[keyof typeof redissonVersions]
