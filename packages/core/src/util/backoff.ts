import { backoffMs } from '@holdfast/pubsub'

export { backoffMs }

/** Resolves after `ms`. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const bounds = { firstMs: 20, longestMs: 500 }

/** How long to pause before a failed step is repeated: 20 ms after one failure, doubling to 500 ms, with jitter. */
export const retryAfterMs = (failures: number): number => backoffMs(failures, bounds)
