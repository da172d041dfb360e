/** The lease of whoever has to be told one: longer than anything that is measured. */
export const leaseMs = 30_000

/**
 * How soon a library that polls asks again, in its best configuration. It is the shortest delay that any of them comes
 * with (redis-semaphore). The others leave the number to the user, and their own are 100 ms and more.
 */
export const pollMs = 10
