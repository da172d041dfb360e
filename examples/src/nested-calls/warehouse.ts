import type { Holdfast } from '@holdfast/core'
import { audit } from './audit.js'

/** Takes one piece. Protects itself, whoever calls it. */
export async function reserve(holdfast: Holdfast, order: string): Promise<void> {
  await holdfast.getLock(order).withLock(async (lease) => {
    console.log(`  reserve    hold count ${lease.holdCount}`)
    await audit(holdfast, order)
    console.log(`  reserve    hold count ${lease.holdCount}`)
  })
}
