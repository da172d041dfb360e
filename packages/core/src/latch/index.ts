export type {} from '../ambient.js'
export { getCountDownLatch, type CountDownLatch } from '../objects/count-down-latch.js'
export type { LatchInfo } from '../objects/latch-info.js'
export type { CountDownOptions, LatchSetOptions, LatchWaitOptions } from '../objects/latch-options.js'
