export type {} from '../ambient.js'
export { getCountDownLatch, type CountDownLatch } from './latch.js'
export type { LatchInfo } from './latch.js'
export type { CountDownOptions, LatchSetOptions, LatchWaitOptions } from './latch.js'
