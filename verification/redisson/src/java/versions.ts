/** The versions of Redisson that the interop is tested against: the newest, and the oldest supported one. */
export const redissonVersions = { newest: '4.7.0', oldest: '3.24.3' } as const

export type RedissonVersion = (typeof redissonVersions)[keyof typeof redissonVersions]
