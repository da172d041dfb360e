import type { Holdfast } from '@holdfast/core'
import { audit } from './audit.js'

/** Takes one piece. Takes the lock itself, whatever its caller does. */
export async function reserve(holdfast: Holdfast, order: string): Promise<void> {
  await holdfast.getLock(order).withLock(async (lease) => {
    console.log(`  reserve    hold count ${lease.holdCount}`)
    await audit(holdfast, order)
    console.log(`  reserve    hold count ${lease.holdCount}`)
  })
}
