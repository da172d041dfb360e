/** How many processes take part in a schedule. */
export const processCount = 3
/** How many locks they compete for. */
export const lockCount = 2
