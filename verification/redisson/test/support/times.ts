/** Far above what any wake-up takes on a busy machine, far below the 30 s for which locks are held without a release. */
export const promptMs = 5_000
