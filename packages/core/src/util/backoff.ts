/** Resolves after `ms`. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** How long to rest before the next try after `failures` in a row: 20 ms, doubling to 500 ms, with jitter. */
export const restMs = (failures: number): number =>
  Math.min(20 * 2 ** Math.min(failures - 1, 10), 500) * (0.5 + Math.random() / 2)
