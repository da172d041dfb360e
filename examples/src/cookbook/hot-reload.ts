import { Holdfast } from '@holdfast/core'

declare global {
  var sharedHoldfast: Holdfast | undefined
}

/** The client of this process. A bundler evaluates this module once per bundle, and again on each reload. */
export const holdfast = (globalThis.sharedHoldfast ??= new Holdfast({
  redis: process.env['REDIS_URL'] || 'redis://localhost:6379',
}))
