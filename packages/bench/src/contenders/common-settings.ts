/** The lease for libraries that require one: longer than any measurement. */
export const leaseMs = 30_000

/**
 * The polling interval of a library that polls, in its best configuration: the shortest default of all of them
 * (redis-semaphore). The others leave the number to the user; their defaults are 100 ms and more.
 */
export const pollMs = 10
